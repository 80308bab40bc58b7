"""The fixture of the pytest plugin: the test fails if the script has an error."""

from askback import Client
from askback.testing.pytest_plugin import MakePerson


def test_the_agent_stops_when_nobody_answers(askback_person: MakePerson) -> None:
    ada = askback_person({"deploy": False})
    with Client(app=ada.app, thread_id="t1") as ask:
        assert not ask.approve("deploy", {"to": "production"})
    assert ada.asked_once("deploy").denied
