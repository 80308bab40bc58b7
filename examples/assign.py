"""A responder hands a request to a colleague who can answer it."""

import sys

from askback import Client

with Client() as inbox:
    for person in inbox.inbox.people(sys.argv[1]):
        if person.name == sys.argv[2]:
            request = inbox.inbox.assign(sys.argv[1], [person.id])
            print(f"Assigned to {person.name}: {request.audience}")
