"""Autobahn's `wstest`, for busy machines, and for sockets that want more than frames.

A server of its specification may also have `tokens`, one a case, each in its turn in place of `{token}` in its `url`; `first`, a text
that is sent before the frames of each case; and `answers`, true where these have to wait for the answer to that, which is left out of
the report.
"""

from autobahntestsuite import wstest  # First: it chooses the reactor.
from autobahntestsuite.fuzzing import FuzzingClientFactory, FuzzingProtocol

# A server has a second for most cases. Here these waits only bound a failure, and the first case that comes to its end is the last.
PATIENCE = 30

create_reports = FuzzingClientFactory.createReports
next_server = FuzzingClientFactory.nextServer
next_case = FuzzingClientFactory.nextCase
kill_after = FuzzingProtocol.killAfter
close_after = FuzzingProtocol.closeAfter
execute_kill_after = FuzzingProtocol.executeKillAfter
execute_close_after = FuzzingProtocol.executeCloseAfter
on_open = FuzzingProtocol.onOpen
on_message = FuzzingProtocol.onMessage


def run_out(execute):
    def run_out_and_execute(self):
        self.factory.has_run_out = self.factory.has_run_out or self.state != self.STATE_CLOSED
        execute(self)

    return run_out_and_execute


def next_case_with_token(self):
    if self.has_run_out or not next_case(self):
        return False
    server = self.spec["servers"][self.currServer]
    if "tokens" in server:
        self.setSessionParameters(url=server["url"].replace("{token}", server["tokens"][self.currSpecCase]))
    return True


def on_open_with_first(self):
    server = self.factory.spec["servers"][self.factory.currServer]
    if "first" in server:
        self.sendFrame(opcode=1, payload=server["first"].encode("utf-8"))
    self.awaits_answer = server.get("answers", False)
    if not self.awaits_answer:
        on_open(self)


def on_message_after_answer(self, message, binary):
    if not self.awaits_answer:
        on_message(self, message, binary)
        return
    self.awaits_answer = False
    on_open(self)


FuzzingClientFactory.createReports = lambda self: create_reports(self, produceHtml=False)
FuzzingClientFactory.has_run_out = False
FuzzingClientFactory.nextServer = lambda self: not self.has_run_out and next_server(self)
FuzzingClientFactory.nextCase = next_case_with_token
FuzzingProtocol.killAfter = lambda self, seconds: kill_after(self, PATIENCE * seconds)
FuzzingProtocol.closeAfter = lambda self, seconds: close_after(self, PATIENCE * seconds)
FuzzingProtocol.executeKillAfter = run_out(execute_kill_after)
FuzzingProtocol.executeCloseAfter = run_out(execute_close_after)
FuzzingProtocol.onOpen = on_open_with_first
FuzzingProtocol.onMessage = on_message_after_answer
wstest.run()
