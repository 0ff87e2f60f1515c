"""The gateway's API: what is sent, what is sent again, and what ends a report."""
import pathlib
import random
import shutil
import ssl
import subprocess
import tempfile
import unittest
from typing import Any, List
from unittest import mock

from stub import ACCEPTED, CUT, Answer, Stub, problem
from updates import update

from croupier_device import VERSION, CroupierError, Gateway, GatewayError, LedgerError, RefusedError
from croupier_device.gateway import PROBLEM, PROTOBUF, UNKNOWN

REPORT = b"the bytes of a report"


class GatewayTest(unittest.TestCase):
    def setUp(self) -> None:
        self.pauses: List[float] = []
        patch = mock.patch("croupier_device.gateway.time.sleep", self.pauses.append)
        patch.start()
        self.addCleanup(patch.stop)

    def gateway(self, stub: Stub, *tokens: Any, **options: Any) -> Gateway:
        queue = list(tokens or ["token-1"])
        return Gateway(stub.url, lambda: queue.pop(0) if len(queue) > 1 else queue[0], **options)

    def test_a_report_is_posted_with_its_token(self) -> None:
        with Stub(ACCEPTED) as stub:
            self.gateway(stub).send("ada", REPORT)
        [request] = stub.requests
        self.assertEqual((request.method, request.path, request.body), ("POST", "/v1/reports", REPORT))
        self.assertEqual(request.headers["Authorization"], "Bearer token-1")
        self.assertEqual(request.headers["Content-Type"], PROTOBUF)
        self.assertNotIn("ada", str(request.headers))

    def test_the_same_bytes_are_sent_again_until_they_are_acknowledged(self) -> None:
        for failure in [Answer(408), Answer(429), Answer(500), Answer(503), CUT, problem(409, Retry_After="7")]:
            with self.subTest(status=failure.status), Stub(failure, failure, ACCEPTED) as stub:
                self.pauses.clear()
                self.gateway(stub).send("ada", REPORT)
                self.assertEqual([r.body for r in stub.requests], [REPORT] * 3)
                self.assertEqual(len(self.pauses), 2)
                self.assertGreaterEqual(self.pauses[0], 7 if failure.status == 409 else 0.125)

    def test_a_date_says_when_to_try_again(self) -> None:
        with Stub(Answer(503, headers={"Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"}), ACCEPTED) as stub:
            self.gateway(stub).send("ada", REPORT)
        with Stub(Answer(503, headers={"Retry-After": "soon"}), ACCEPTED) as stub:
            self.gateway(stub).send("ada", REPORT)
        self.assertTrue(all(pause < 1 for pause in self.pauses))

    def test_times_to_wait_beyond_all_numbers(self) -> None:
        """Digits of any number are a long time; dates that no calendar has are none."""
        for header in ["9" * 309, "9" * 5000, "Fri, 31 Dec 9999 23:59:59 GMT"]:
            with self.subTest(header=header[:20]), Stub(Answer(503, headers={"Retry-After": header}), ACCEPTED) as stub:
                self.pauses.clear()
                self.gateway(stub, patience=1e9).send("ada", REPORT)
                self.assertEqual(self.pauses, [3600])
        for header in ["-1", "1e3", "\u00b2", "Fri, 31 Dec 99999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 +2359", ""]:
            with self.subTest(header=header), Stub(Answer(503, headers={"Retry-After": header}), ACCEPTED) as stub:
                self.pauses.clear()
                self.gateway(stub).send("ada", REPORT)
                self.assertTrue(all(pause < 1 for pause in self.pauses))

    def test_problems_of_any_shape_are_gateway_errors(self) -> None:
        documents = [
            '{"type": "urn:croupier:problem:x", "errors": %s}' % errors
            for errors in ["5", "NaN", "true", '"text"', "{}", "[]", "[5, null]", '[{"field": 7, "detail": []}]']]
        documents += ['{"type": "urn:croupier:problem:x", "detail": {}}', '{"type": 5}', "[]", "5", "[" * 60_000, "NaN", ""]
        for document in documents:
            answer = Answer(404, document.encode(), {"Content-Type": PROBLEM})
            with self.subTest(document=document[:60]), Stub(answer) as stub:
                with self.assertRaisesRegex(GatewayError, "the gateway answered 404: "):
                    next(self.gateway(stub).follow("demo"))

    def test_updates_of_any_bytes_are_gateway_errors(self) -> None:
        random_bytes = random.Random(1)
        whole = update(7, questions=["q"], statistics={"day": ["a", "b"]}, thresholds={"t": 1.0})
        bodies = [b"\xff\xff", b"\x00", whole[:-3]]
        for _ in range(300):
            changed = bytearray(whole)
            for _ in range(3):
                changed[random_bytes.randrange(len(changed))] = random_bytes.randrange(256)
            bodies.append(bytes(changed))
        for body in bodies:
            with self.subTest(body=body.hex()):
                try:
                    Gateway._parse("demo", body)
                except GatewayError:
                    pass

    def test_waits_are_announced(self) -> None:
        announced: List[Any] = []
        answers = [Answer(503, headers={"Retry-After": "7"}), CUT, Answer(200, update(1))]
        with Stub(*answers) as stub:
            updates = self.gateway(stub).follow("demo", on_retry=lambda error, wait: announced.append((error.status, wait)))
            self.assertEqual(next(updates).round, 1)
        self.assertEqual([announced[0][1], announced[0][0], announced[1][0]], [7, 503, 0])
        self.assertEqual([wait for _, wait in announced], self.pauses)
        with Stub(CUT, Answer(200, update(1))) as stub, self.assertLogs("croupier_device", "WARNING") as logs:
            next(self.gateway(stub).follow("demo"))
        self.assertRegex(logs.output[0], r"can't be reached.*; trying again in 0\.\d s")

    def test_each_request_names_the_version(self) -> None:
        with Stub(Answer(200, update(1)), ACCEPTED) as stub:
            gateway = self.gateway(stub)
            gateway.newest("demo")
            gateway.send("ada", REPORT)
        self.assertEqual([r.headers["Croupier-Client"] for r in stub.requests], [f"python/{VERSION}"] * 2)

    def test_wrong_arguments_say_what_would_be_right(self) -> None:
        wrong: List[Any] = [
            ({"url": None}, "url is of the type NoneType; it must be https"),
            ({"url": "https://host:port"}, "url is https://host:port; it must be https"),
            ({"url": "https://host:99999"}, "url is https://host:99999; it must be https"),
            ({"url": "https://[::1"}, "url is"),
            ({"url": "https://h", "token": "eyJ"}, "token is of the type str; it must be a function"),
            ({"url": "https://h", "patience": "1"}, "patience is of the type str; it must be a number")]
        for arguments, message in wrong:
            with self.subTest(message=message), self.assertRaises(ValueError) as raised:
                Gateway(**arguments)
            self.assertIn(message, str(raised.exception))
        with self.assertRaisesRegex(ValueError, "model_id is of the type int"):
            Gateway("https://h").newest(7)  # type: ignore[arg-type]
        with self.assertRaisesRegex(CroupierError, "has no token to report with"):
            Gateway("https://h").send("ada", REPORT)

    def test_refusals_of_the_bytes_are_final(self) -> None:
        for answer in [problem(400), problem(409), problem(415), problem(422), Answer(413)]:
            with self.subTest(status=answer.status), Stub(answer) as stub:
                with self.assertRaisesRegex(RefusedError, f"the gateway answered {answer.status}"):
                    self.gateway(stub).send("ada", REPORT)
                self.assertEqual(len(stub.requests), 1)

    def test_other_answers_leave_a_report_pending(self) -> None:
        html = {"Content-Type": "text/html"}
        for answer in [Answer(400, b"<html>", html), problem(403), Answer(404), Answer(200), Answer(301)]:
            with self.subTest(status=answer.status), Stub(answer) as stub:
                with self.assertRaises(GatewayError) as raised:
                    self.gateway(stub).send("ada", REPORT)
                self.assertEqual(raised.exception.status, answer.status)
                self.assertEqual(len(stub.requests), 1)

    def test_an_unknown_model_may_be_one_that_this_gateway_has_not_read(self) -> None:
        unknown = problem(404, "model_id")
        with Stub(unknown, unknown, ACCEPTED) as stub:
            self.gateway(stub).send("ada", REPORT)
        with Stub(unknown) as stub:
            with self.assertRaises(RefusedError):
                self.gateway(stub).send("ada", REPORT)
            self.assertEqual(len(stub.requests), UNKNOWN)

    def test_patience_ends(self) -> None:
        with Stub(Answer(503, headers={"Retry-After": "100"})) as stub:
            with self.assertRaises(GatewayError) as raised:
                self.gateway(stub, patience=50).send("ada", REPORT)
        self.assertEqual((raised.exception.status, len(stub.requests)), (503, 1))

    def test_a_gateway_that_is_away(self) -> None:
        with Stub(ACCEPTED) as stub:
            gateway = self.gateway(stub, patience=0)
        with self.assertRaisesRegex(GatewayError, "can't be reached") as raised:
            gateway.send("ada", REPORT)
        self.assertEqual(raised.exception.status, 0)

    def test_an_old_token_is_renewed_once(self) -> None:
        with Stub(problem(401), ACCEPTED) as stub:
            self.gateway(stub, "old", "new").send("ada", REPORT)
        self.assertEqual([r.headers["Authorization"] for r in stub.requests], ["Bearer old", "Bearer new"])
        self.assertEqual([r.body for r in stub.requests], [REPORT] * 2)
        with Stub(problem(401)) as stub:
            with self.assertRaises(GatewayError) as raised:
                self.gateway(stub, "same").send("ada", REPORT)
        self.assertEqual((raised.exception.status, len(stub.requests)), (401, 1))

    def test_a_token_of_a_wrong_form_is_not_sent_and_not_shown(self) -> None:
        for token in ["", None, 7, "Bearer x", "a\r\nHost: evil", "sëcret"]:
            with self.subTest(token=token), Stub(ACCEPTED) as stub:
                with self.assertRaisesRegex(CroupierError, "must be a bearer token") as raised:
                    self.gateway(stub, token).send("ada", REPORT)
                self.assertEqual(stub.requests, [])
                self.assertTrue(not isinstance(token, str) or token == "" or token not in str(raised.exception))

    def test_what_a_gateway_states_is_shown_in_one_line(self) -> None:
        with Stub(problem(422, "candidate\\n\\u001b[31m")) as stub:
            with self.assertRaises(RefusedError) as raised:
                self.gateway(stub).send("ada", REPORT)
        self.assertEqual(str(raised.exception), "the gateway answered 422: candidate  [31m: is wrong")

    def test_redirects_are_not_followed(self) -> None:
        with Stub(ACCEPTED) as other, Stub(Answer(307, headers={"Location": other.url + "/v1/reports"})) as stub:
            with self.assertRaisesRegex(GatewayError, "redirects are not followed"):
                self.gateway(stub).send("ada", REPORT)
            self.assertEqual(other.requests, [])

    def test_the_newest_update(self) -> None:
        with Stub(Answer(200, update(7))) as stub:
            self.assertEqual(self.gateway(stub).newest("demo").round, 7)
            [request] = stub.requests
            self.assertEqual((request.method, request.path), ("GET", "/v1/models/demo"))
            self.assertEqual(request.headers["Accept"], PROTOBUF)
            self.assertNotIn("Authorization", request.headers)
        with Stub(problem(404)) as stub, self.assertRaises(GatewayError):
            self.gateway(stub).newest("demo")
        with Stub(Answer(200, update(model_id="other"))) as stub:
            with self.assertRaisesRegex(GatewayError, "another model"):
                self.gateway(stub).newest("demo")
        with Stub(Answer(200, b"<html>")) as stub, self.assertRaisesRegex(GatewayError, "can't be read"):
            self.gateway(stub).newest("demo")

    def test_an_answer_that_is_cut_off(self) -> None:
        with Stub(Answer(200, update(7), {"Content-Length": "5000"})) as stub:
            with self.assertRaisesRegex(GatewayError, "can't be reached: IncompleteRead"):
                self.gateway(stub).newest("demo")

    def test_updates_are_followed(self) -> None:
        answers = [
            Answer(200, update(1), {"ETag": '"a"'}), Answer(304), CUT, Answer(200, update(1), {"ETag": '"a"'}),
            Answer(200, update(3), {"ETag": '"b"'}), Answer(200, update(3), {"ETag": '"c"'}), problem(404)]
        with Stub(*answers) as stub:
            rounds = []
            with self.assertRaises(GatewayError):
                for snapshot in self.gateway(stub).follow("demo"):
                    rounds.append(snapshot.round)
        self.assertEqual(rounds, [1, 3, 3])
        self.assertEqual(stub.requests[0].path, "/v1/models/demo")
        self.assertEqual(stub.requests[1].path, "/v1/models/demo?after=1&wait=25")
        self.assertEqual(stub.requests[1].headers["If-None-Match"], '"a"')
        self.assertEqual(stub.requests[5].path, "/v1/models/demo?after=3&wait=25")

    def test_a_gateway_that_lags_behind_another_one_gives_no_update(self) -> None:
        """A model that starts again has smaller rounds, too, but publishes later."""
        rounds = [(5, 1000), (4, 900), (6, 1100), (0, 1200)]
        answers = [Answer(200, update(round, published_at_ms=at), {"ETag": f'"{round}"'}) for round, at in rounds]
        with Stub(*answers, problem(404)) as stub, self.assertRaises(GatewayError):
            followed = []
            for snapshot in self.gateway(stub).follow("demo"):
                followed.append(snapshot.round)
        self.assertEqual(followed, [5, 6, 0])
        self.assertEqual(stub.requests[2].path, "/v1/models/demo?after=5&wait=25")
        self.assertEqual(stub.requests[2].headers["If-None-Match"], '"5"')

    def test_urls_that_would_show_the_token_are_refused(self) -> None:
        for url in ["http://gateway.example", "ftp://localhost", "https://", "https://u@h", "https://h?x=1",
                    "https://h#x", "http://localhost.evil.example", "localhost"]:
            with self.subTest(url=url), self.assertRaisesRegex(ValueError, "it must be https"):
                Gateway(url)
        for url in ["https://gateway.example/base/", "http://localhost:8080", "http://[::1]:1", "http://127.0.0.2"]:
            Gateway(url)

    def test_the_path_of_the_base_is_kept(self) -> None:
        with Stub(Answer(200, update())) as stub:
            Gateway(stub.url + "/api/").newest("demo")
        self.assertEqual(stub.requests[0].path, "/api/v1/models/demo")

    def test_names_of_models_are_checked(self) -> None:
        for name in ["", ".", "..", "a/b", "a?b", "a\n", "Zo\xeb", "\u0661", "x" * 101]:
            with self.assertRaisesRegex(ValueError, "model_id is"):
                Gateway("https://gateway.example").newest(name)

    def test_messages_are_lines_that_no_terminal_obeys(self) -> None:
        hostile = "Zo\xeb\x1b[31m\r\nforged\u202e\u2028\x9b\xa0\ud800"
        shown = "Zo\xeb\\x1b[31m\\r\\nforged\\u202e\\u2028\\x9b\\xa0\\ud800"
        for error in [CroupierError(hostile), GatewayError(hostile, 503), LedgerError(hostile)]:
            self.assertEqual(str(error), shown)
        with self.assertRaises(ValueError) as raised:
            Gateway("https://gateway.example").newest(hostile)
        self.assertIn(shown, str(raised.exception))

    def test_a_context_that_verifies_nothing_is_refused(self) -> None:
        context = ssl.create_default_context()
        context.check_hostname = False
        with self.assertRaisesRegex(ValueError, "a context that verifies nothing"):
            Gateway("https://gateway.example", tls=context)


@unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
class TlsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def certificate(self, name: str) -> ssl.SSLContext:
        """A server's context with a new certificate of its own for an address."""
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "2", "-subj", "/CN=test",
             "-addext", f"subjectAltName=IP:{name}"],
            cwd=self.folder, check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / f"{name}.pem", self.folder / f"{name}.key")
        return context

    def trusting(self, name: str) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.folder / f"{name}.pem"))

    def test_certificates_are_verified(self) -> None:
        with Stub(ACCEPTED, tls=self.certificate("127.0.0.1")) as stub:
            url = f"https://127.0.0.1:{stub.port}"
            with self.assertRaisesRegex(GatewayError, "can't be trusted"):
                Gateway(url, lambda: "token", patience=0).send("ada", REPORT)
            self.assertEqual(stub.requests, [])
            Gateway(url, lambda: "token", tls=self.trusting("127.0.0.1")).send("ada", REPORT)
            self.assertEqual(len(stub.requests), 1)

    def test_names_are_verified(self) -> None:
        with Stub(ACCEPTED, tls=self.certificate("127.0.0.9")) as stub:
            gateway = Gateway(
                f"https://127.0.0.1:{stub.port}", lambda: "token", tls=self.trusting("127.0.0.9"), patience=0)
            with self.assertRaisesRegex(GatewayError, "can't be trusted"):
                gateway.send("ada", REPORT)
            self.assertEqual(stub.requests, [])


if __name__ == "__main__":
    unittest.main()
