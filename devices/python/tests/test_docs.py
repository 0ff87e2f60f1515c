"""The program of docs/build/python.md runs as it stands there, but for the gateway's address."""
import contextlib
import io
import os
import pathlib
import re
import tempfile
import unittest

from stub import ACCEPTED, Answer, Stub
from updates import update

from croupier_device import GradientReport, Ledger, Limit, ModelUpdate

PAGE = pathlib.Path(__file__).parents[3] / "docs/build/python.md"


@unittest.skipUnless(PAGE.exists(), "docs/build/python.md is part of the project, not of the package")
class DocsTest(unittest.TestCase):
    def test_the_program_reports(self) -> None:
        [program] = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
        model = ModelUpdate()
        feature = model.features.add(name="minutesWalked")
        setattr(feature.range, "from", 0)
        feature.range.to = 180
        model.predicts.label = "feltWell"
        model.predicts.logistic.SetInParent()
        described = model.SerializeToString()
        moving = update(8, 1, model_id="wellbeing-1", size=2, question_probability=0) + described
        before = pathlib.Path.cwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                pathlib.Path("ada.token").write_text("token-1\n", encoding="utf-8")
                # Round 6 doesn't ask this device; another run finds the data reported.
                idle = update(6, 1, model_id="wellbeing-1", answer_probability=0) + described
                with Stub(Answer(200, idle), Answer(200, moving), ACCEPTED, Answer(200, moving)) as stub:
                    for said in ["sent a gradient for round 8; spent epsilon 2\n", "model wellbeing-1 has received data with this key once"]:
                        with contextlib.redirect_stdout(io.StringIO()) as printed:
                            exec(program.replace("https://gateway.example", stub.url), {})
                        self.assertIn(said, printed.getvalue())
                reports = [GradientReport.FromString(r.body) for r in stub.requests if r.method == "POST"]
                self.assertEqual([(r.model_id, r.round) for r in reports], [("wellbeing-1", 8)])
                self.assertEqual(stub.requests[2].headers["Authorization"], "Bearer token-1")
                with Ledger("ada.ledger", "ada", Limit()) as ledger:
                    self.assertEqual((ledger.spent().epsilon, ledger.pending()), ("2", []))
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
