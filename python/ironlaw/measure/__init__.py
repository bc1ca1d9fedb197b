"""What `ironlaw calibrate` runs on a cluster: the rates of the machine as PyTorch programs get them, alone and while ranks share a node."""
