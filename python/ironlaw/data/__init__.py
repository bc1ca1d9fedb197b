"""Training data by position: what a step sees is a function of the order and one number.
See docs/decisions/2026-11-18-order-by-position.md."""

from ironlaw.data.loader import Loader
from ironlaw.data.order import Order, Placed
from ironlaw.data.permutation import Permutation
from ironlaw.data.shards import TokenDataset, open_dataset, write_dataset

__all__ = ["Loader", "Order", "Permutation", "Placed", "TokenDataset", "open_dataset", "write_dataset"]
