"""What an attempt runs in, as its agents find it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List

from testbed import Api, RunDirectory

from ironlaw.agent.inventory import digest_of, found, interpreter_of

TOKEN = "ghp-planted-in-an-address"


def environment_with(path: Path, **packages: str) -> str:
    """A virtual environment with these packages, each of whose values is its direct_url.json; its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(path)], check=True)
    site = next(path.glob("lib/python*/site-packages"))
    for name, url in packages.items():
        metadata = site / f"{name}-1.2.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
        if url:
            (metadata / "direct_url.json").write_text(url)
    return str(path / "bin" / "python")


class InventoryTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="ironlaw-test-")
        self.addCleanup(temporary.cleanup)
        self.path = Path(temporary.name)

    def test_packages_of_another_interpreter_without_the_addresses_they_came_from(self) -> None:
        url = json.dumps({"url": f"https://{TOKEN}@host/x.git", "vcs_info": {"vcs": "git", "commit_id": "ab12"}})
        editable = json.dumps({"url": "file:///home/ada", "dir_info": {"editable": True}})
        python = environment_with(self.path / "venv", Private_Thing=url, mine=editable, plain="", broken="{")
        (self.path / "json.py").write_text("raise SystemExit('the directory of the program is not where packages are')")
        directory = os.getcwd()
        os.chdir(self.path)
        self.addCleanup(os.chdir, directory)
        facts = found(python)
        packages = {"private-thing": "1.2 at ab12", "mine": "1.2 editable", "plain": "1.2", "broken": "1.2"}
        self.assertEqual(facts["packages"], packages)
        self.assertRegex(facts["python"], r"^CPython 3\.")
        self.assertNotIn(TOKEN, json.dumps(facts))

    def test_an_interpreter_that_is_none_leaves_the_rest(self) -> None:
        for wrong in ("/bin/true", "/bin/false", "/nowhere/python3"):
            facts = found(wrong)
            self.assertNotIn("packages", facts)
            self.assertTrue(facts["kernel"])

    def test_the_interpreter_follows_from_the_words_of_a_command(self) -> None:
        tool = self.path / "tool"
        tool.write_text(f"#!/usr/bin/env {os.path.basename(sys.executable)}\n")
        tool.chmod(0o755)
        cases: List["tuple[List[str], bool]"] = [
            (["train.py"], True),
            ([sys.executable, "-m", "x"], True),
            ([str(tool), "x"], True),
            (["/bin/sh", "-c", f"cd /tmp && A=1 {sys.executable} x.py"], True),
            (["/bin/sh", "-c", "echo 'unbalanced"], False),
            (["/bin/sh", "-c", "sleep 1"], False),
            (["/bin/sleep", "1"], False),
        ]
        for program, has in cases:
            self.assertEqual(interpreter_of(program) is not None, has, program)

    def test_the_digest_is_that_of_canonical_json(self) -> None:
        # The same packages in packages/pure/contracts/src/run-origin.test.ts.
        self.assertEqual(digest_of({"b": "2", "a-x": "1.0+é"}), "8ca4f4cf509f1f1ad42d2f0f8345b044a9bd476035c103bbbb3c97f11f367dfd")


class AgentInventoryTest(unittest.TestCase):
    def setUp(self) -> None:
        self.directory = RunDirectory()
        self.addCleanup(self.directory.close)
        self.api = Api()
        self.addCleanup(self.api.close)

    def environments(self) -> List[Dict[str, Any]]:
        return [note["detail"] for note in self.api.all("notes") if note["kind"] == "environment"]

    def test_one_node_sends_the_packages_and_the_others_their_digest(self) -> None:
        image = f"registry.example/train@sha256:{'a' * 64}"
        agents = [self.directory.train(0.01, 5, api=self.api, nodes=2, node_index=index, image=image) for index in (1, 0)]
        self.assertEqual([agent.wait(30) for agent in agents], [0, 0])
        first, second = sorted(self.environments(), key=lambda each: each["index"])
        self.assertEqual(first["packages_digest"], digest_of(first["packages"]))
        self.assertEqual(second["packages_digest"], first["packages_digest"])
        self.assertNotIn("packages", second)
        self.assertEqual({each["image"] for each in (first, second)}, {image})

    def test_a_program_of_another_interpreter_is_looked_at_again(self) -> None:
        python = environment_with(self.directory.path / "venv", planted="")
        script = self.directory.path / "through.sh"
        script.write_text(f'#!/bin/sh\nexec {python} "{self.directory.path / "train.py"}" 0.05 20\n')
        script.chmod(0o755)
        self.assertEqual(self.directory.agent(str(script), api=self.api).wait(30), 0)
        self.assertEqual(self.environments()[-1]["packages"], {"planted": "1.2"})

    def test_a_name_without_a_digest_is_no_image(self) -> None:
        agent = self.directory.train(0.01, 3, api=self.api, image="registry.example/train:latest")
        self.assertEqual(agent.wait(30), 0)
        self.assertNotIn("image", self.environments()[0])


if __name__ == "__main__":
    unittest.main()
