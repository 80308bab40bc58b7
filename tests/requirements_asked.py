"""The guarantees of askback, one sentence for each requirement id that a test must carry.

Grouped by the piece of work that asked for them. An id here without a test fails
`tests/structure/test_requirements.py`, and so does a test with an id that is not here.
"""

from __future__ import annotations

FIRST_SLICE = {
    # A is about asking
    "A1": "Buttons, confirm, select, radio and checkbox each show their own control and give its value.",
    "A2": "A confirmation shows Yes and No, and the agent gets the choice; a question without choices is free text.",
    "A3": "A confirmation keeps its options in their order, and shows Yes and No if it has none.",
    "A4": "A choice without options is refused on creation, with its path, and nothing is stored or shown.",
    "A5": "A click on a single row of buttons answers immediately, and a double click answers once.",
    "A6": "A lone select opens on a placeholder and cannot be submitted before a choice.",
    "A7": "A radio list works by arrow keys and Enter, and cannot be submitted before a choice.",
    "A8": "Several ticks come back as a list in the order of the options, whatever the order of the clicks.",
    "A9": "A default is preselected but answers nothing by itself, and a default that is no option is refused.",
    "A10": "Typed text is accepted where Other is allowed, and is marked as not being one of the options.",
    "A12": "A question that is blank or only whitespace is refused, and nothing is stored.",
    "A14": "A request has one id, the same for the agent and the browser.",
    "A15": "An option is a string or an object with label, description, recommended and style; danger asks twice.",
    "A16": "Skip, where it is allowed, is a separate outcome and never a value in an answer.",
    "A17": "A settled question is one line that opens to the read-only form, the same after a reload.",
    "A19": "A request is shown at the message and tool call that asked it, even if two runs ask at the same time.",
    "A20": "Parallel questions answered in any order return each answer to its caller.",
    "A22": "A batch list asks for several rows, each accepted or declined, and the answer has a map of decisions.",
    "A21": "An action that fails ends as failed with its reason, and can be tried again while it is open.",
    # C is about question cards
    "C7": "In a single choice a new choice replaces the old one.",
    "C8": "In a multiple choice each option toggles by itself.",
    "C9": "Other adds to the ticks of a multiple choice, and a blank Other cannot be submitted.",
    "C10": "A form with required fields left open is not sent, and says what is missing.",
    "C11": "Answers are keyed by field id, so two questions with the same text keep two answers.",
    "C12": "An answer to an unknown or an old request is an error that reaches its sender.",
    "C13": "Several requests can be open in one thread, and each is answered separately.",
    "C16": "An empty answer is refused and leaves the request open; it never looks like a success.",
    # D is about questions and answers
    "D11": "A text that is too long is refused, never cut.",
    "D12": "Lengths count Unicode code points, in Python and in the browser.",
    "D13": "Patterns run in linear time; a pattern that RE2 cannot compile is refused on creation.",
    "D14": "A pattern must match the whole text, a trailing newline included, on both sides.",
    "D15": "The server checks every answer by the form's rules, for every sender; an invalid one leaves the request pending.",
    "D16": "A value that is no option is accepted only where Other is allowed.",
    "D17": "Skipping is refused where it is not allowed, and the page then offers no Skip.",
    "D18": "A date is YYYY-MM-DD on the wire, whatever the language of the page.",
    # F is about forms
    "F1": "Eleven field types are shown, answered and come back typed.",
    "F2": "A form has fields or sections, exactly one of the two, and not empty.",
    "F3": "A form that contradicts itself is refused with all faults together, each with its path and a sentence.",
    "F4": "A required field needs a value, and a required tick needs to be ticked.",
    "F5": "A field left empty is not in the answer.",
    "F6": "Text lengths and patterns are checked alike in Python and in the browser.",
    "F7": "Numbers are finite and keep to min, max and step.",
    "F8": "Dates and times are real ones, within their bounds, and a date with time names its offset or zone.",
    "F9": "Choices are options of the field, not repeated, and within the number allowed.",
    "F10": "A value for a field that does not exist is refused and never stored.",
    "F11": "A field may leave its checks to the server, and the server's verdict shows at the field.",
    "F12": "Initial values win over defaults, and false and 0 count as values.",
    "F18": "An optional section left empty is skipped; a started one must be complete.",
    "F19": "Submit and cancel labels are shown as plain text, with defaults in the reader's language.",
    "F20": "The agent is notified of a cancelled request once, with the reason and the note.",
    "F21": "An answered request cannot be cancelled; of two concurrent outcomes the first wins.",
    "F27": "A page that cannot answer shows the request disabled, says why, and tells the server so.",
    "F28": "A request is shown where it was asked, in a separate block at the end, or in place of the composer.",
    "F26": "A settled form shows its values read-only, without a control to edit them.",
    # G is about transports
    "G1": "Requests are created, read, listed, answered, declined and cancelled over HTTP, as the OpenAPI says.",
    "G2": "The WebSocket has the same operations and events as HTTP.",
    "G3": "An interrupted event stream continues where it ended: nothing is lost or repeated.",
    "G4": "A page opened or reloaded at any time shows the open requests, and they can be answered.",
    "G5": "Events of a thread are numbered without a gap, and a reader ignores what it has seen.",
    "G6": "A long poll returns as soon as the request settles, for every waiter.",
    "G7": "An agent's await survives the death and restart of the server.",
    "G9": "An MCP tool reports progress, returns pending in time, and get_answer returns the answer later.",
    "G8": "A restarted agent with its old key finds its question and the answer.",
    # H is about durability
    "H1": "A request is on the disk before anybody is notified.",
    "H2": "Events are only ever added, and they determine the state of a request: the first outcome wins.",
    "H4": "One of any number of concurrent answers settles the request; the others get the settled request.",
    "H7": "Every outcome shows the same after a reload.",
    "H8": "Open requests stay open over a restart of the server, or expire then if so configured.",
    # I is about security
    "I1": "Every route needs a credential, and each role can use only its operations.",
    "I2": "An agent can never answer, decline or approve: it is refused, and the attempt is recorded.",
    "I3": "A page of another origin can neither connect nor post with the person's cookie.",
    "I4": "Markdown is shown from an allow-list; scripts, HTML, images and odd links are never active.",
    "I5": "Labels are text and never become markup.",
    "I6": "The pages run under a strict content policy with Trusted Types and break none of it.",
    "I7": "No route but answering and settling changes a request.",
    "I12": "An unknown id and an id of somebody else get the same reply.",
    "I13": "Ids such as __proto__ and constructor are ordinary ids.",
    # J is about the page
    "J1": "A question is shown at its position in the conversation, and several keep their order.",
    "J3": "Everything works by keyboard: Enter, Ctrl+Enter, arrows, and Escape only where skipping is allowed.",
    "J4": "An axe run finds no fault, errors are linked to their fields, and changes are announced.",
    "J6": "Each state of a request has its own words and sign.",
    "J7": "A form is sent once however often it is clicked, and a failed send keeps the input and can be repeated.",
    # K is about several people
    "K1": "When one person answers, every other screen turns read-only and says who answered.",
    "K2": "The second person to answer sees that the request was answered, and how.",
    # L is about limits
    "L3": "Every size has a limit that is listed and can be set: the limit is accepted, one more is refused.",
    "L4": "The number of fields and sections and the size of a form are limited, and the refusal names the limit.",
    "L5": "A body over the limit is refused before it is read to the end.",
    # M is about errors
    "M1": "Every error has one shape and a stable code.",
    "M2": "Each kind of refusal has its own status.",
    "M3": "A refused second answer carries the settled request.",
    "M4": "The same key with the same body has one effect and returns its result; another body is refused.",
    "M5": "Outcomes and their reasons are a closed set, and none of them looks like an answer.",
    "M8": "An unknown id is an error only for its sender.",
}

APPROVALS = {
    # B is about permission for tools
    "B1": "The level deny refuses, allowlist runs what is listed, and full runs what is not dangerous.",
    "B2": "Every cell of the table of levels, ask modes, listed and dangerous is written down and holds.",
    "B3": "A new server allows reading, including `git status`, and asks about `git push`.",
    "B4": "A command runs without asking only if every part of it is understood and matches a rule.",
    "B5": "A command that cannot be parsed needs approval.",
    "B6": "A rule matches whole words: blanks and quotes do not matter, another path is another program.",
    "B7": "Deny comes before ask and ask before allow, and no rule or mode loosens a hard limit.",
    "B8": "Only an offered scope can be chosen, and a decision applies to exactly its scope.",
    "B9": "Always stores exactly the words that were shown, and nothing for a call that can change its meaning.",
    "B10": "A rule for a tool with patterns for its arguments covers these arguments only.",
    "B11": "A rule survives a restart, has its author, time and reason, and ends when it is revoked or expires.",
    "B12": "A locked rule asks each time and explains why Always is not offered.",
    "B13": "The call is shown in full, as a command, a change of a file or JSON, under a short headline.",
    "B14": "Hidden and deceptive characters are shown escaped.",
    "B15": "A decision carries the digest of its call, and is used once and for no other call.",
    "B16": "An input is edited only where the agent allows it; the edited input replaces the original, is checked and gets a new digest.",
    "B17": "A call that a person refused in this thread is refused immediately when it is repeated, and no card is shown.",
    "B18": "A refusal tells the model which tool was refused, and the person's note.",
    "B19": "An unknown decision is refused, and the request stays open.",
    "B20": "An approval is open for five minutes unless the agent says otherwise, and no answer in time is a denial.",
    "B21": "Tools that only read need no approval, except for secret files.",
    "B22": "Each mode allows its calls and no others, and `full` has to be typed and is audited.",
    "B23": "A plan is approved, approved with edits, or returned with a comment, even after a restart.",
    "B24": "A late approval is checked against the policy again, and a newer deny rule wins.",
    "B25": "Many approvals wait in order, each separately, and one action decides all that are listed.",
    "B26": "The danger of a call is described in words, without false alarms about similar names.",
    "B27": "At a terminal without a server the person is asked there, and an empty line is a denial.",
    "B28": "Every decision is in the audit log with person, transport, rule and time, and changes of the log are detected.",
    "B29": "An unknown tool and an unreadable input need approval or are refused, never allowed.",
    # C is about the agent's side
    "C4": "A listed tool runs immediately, with its input unchanged.",
    "C5": "The denial of a hook overrides the approval of a person.",
    "C20": "When the agent is interrupted, its request is cancelled and closes on every screen.",
    # J, K and M are about the page, several people and the model
    "J2": "In a modal, approvals are shown one after the other, and Escape closes nothing and answers nothing.",
    "J9": "Open requests of all threads are listed and counted, and declined in one action.",
    "K7": "While one person types an answer, the others see the name, until ten seconds without input.",
    "K6": "An approval needs the requested number of people, one denial is enough, and nobody votes twice.",
    "M6": "Each outcome has a text for the model, which can be replaced, and only an approval reads as permission.",
}

SECRETS = {
    # E is about secrets
    "E1": "A request for secrets returns immediately, with names and a state and never a value.",
    "E2": "A request has one to ten different names of capital letters, digits and underscores, which are returned sorted.",
    "E3": "A name that decides what a process runs is refused in requests, submissions and stored secrets.",
    "E4": "The card has an input for each name, the reason, the help, the scope and the warning, in the reader's language.",
    "E5": "A value goes from the person to the vault and is nowhere else in plain text, whatever fails on the way.",
    "E6": "Exactly the requested names are accepted, each with 1 to 10,240 bytes that are not blank.",
    "E7": "A value is stored exactly, with a warning about white space at its ends.",
    "E8": "The agent reads the specified words for each outcome, for one name and for several, with the product name.",
    "E9": "Secrets that are set in the suggested scope are not asked for; only missing names are.",
    "E10": "A saved value is used without typing it again, if it exists, and never together with a typed one.",
    "E11": "The person chooses the scope of a secret; the agent only suggests one.",
    "E12": "Names that were dismissed in a thread are not asked for again there immediately, and the agent is notified.",
    "E13": "A sealed value opens only for its binding, and not if a bit of it has changed.",
    "E14": "Without a master key secrets are refused with a clear error, and everything else works.",
    "E15": "All secrets are resealed under a new master key during use, and none is lost.",
    "E16": "Every defect of a sealed value has the same error.",
    "E17": "A value is available only to an executor that leases it, and is in nothing else that an agent holds or shows.",
    "E18": "Known values are replaced by their names in the output of a command or tool, while it streams.",
    "E19": "Stored secrets are listed by name, replaced and erased, and no route but the lease returns a value.",
    "E20": "Names are visible to all readers of the thread, unless the agent hides them from view-only readers.",
    "E21": "Each name has its help within its limits, and a key of many lines keeps every byte.",
    "E22": "A sensitive field of a form keeps its value as a secret, and the agent gets a reference.",
    "E23": "A value that the agent or the server tests first counts if it passes, and is asked for again if it fails.",
    "E24": "An account is connected by the latest click alone, with PKCE, and a forged callback is refused.",
    "E25": "No route and no event gives a saved value back to a page.",
    "H6": "A test that was running when a server died is never repeated automatically, and nobody waits for it forever.",
    "H12": "A copy of the database contains no value in plain text.",
    # I and K are about safety and several people
    "I8": "A card names the agent of the token, and a text of the agent cannot imitate a part of the page.",
    "I9": "A person's answer is data for the model: it cannot end its quotation or imitate one of our texts.",
    "I10": "The value of a secret or of a sensitive field is in no log, whatever its level.",
    "K3": "The levels view, prompt and all permit exactly their operations for every kind, and the owner shares the thread.",
    "K4": "The agent of a thread uses a value no matter who typed it, and the log has the person.",
    "K5": "Only the people and groups that a request names may answer, and nobody if the groups cannot be looked up.",
    "K8": "A person without access to a thread finds nothing of it in any list, event or reply.",
}

DURABLE = {
    # C is about the agent's side
    "C15": "Not visible to anybody, not answered in time, and declined are three different outcomes.",
    # D is about limits of questions
    "D8": "A thread has as many questions as configured, over restarts and servers, and the next is refused with a sentence.",
    "D9": "A question counts on creation; it is uncounted if configured, and an admin resets the count.",
    "D21": "If the question has priority, a message is refused with a sentence while it is open.",
    # F is about checks of answers and about deadlines
    "F13": "The requester's validator decides last about an answer, and the person sees that it is being checked.",
    "F14": "A refused answer is asked again under the same id, as another revision, with the errors and the typed values.",
    "F15": "Nobody is asked again forever: after the configured number of rounds the request fails.",
    "F16": "An answer to an earlier revision gets the current question, and nothing typed is lost.",
    "F22": "A deadline expires, cancels, answers with declared defaults, or leaves the request open under the same id.",
    "F23": "The outcome of a request reaches an agent that has ended its turn, once, unless it wants no resume.",
    "F24": "An answer in the text of the next turn stays within its attribute, and is parsed back unchanged.",
    # G is about delivery
    "G11": "A request that requires a page which can answer never waits if there is none.",
    "G10": "Events are pushed to webhooks, signed and with the time, until they are accepted or three days have passed.",
    "G14": "A body or a frame at the limit is read, and one byte more is refused with the reason.",
    "H3": "Several servers share a Postgres database, and every server can be used for asking and answering.",
    "H5": "A resume is written with the outcome of its request, is delivered until it is acknowledged, and is processed once.",
    "H9": "Archiving a thread cancels its open requests, ends waits within a second and refuses new requests.",
    "H10": "A deadline fires once, by the clock of the database, however many servers watch it.",
    "I11": "No webhook reaches a private address, by its address, its name or a redirect.",
    "H11": "A thread is exported completely, erased from every file of the store, and erased by age.",
    "J14": "A person's message answers a form only if it is unambiguous; otherwise the form stays open, with a notice.",
    "K9": "The message of an author without access is withheld as a resume, and the audit log records it.",
    "L1": "Forms are counted for each thread and approvals never.",
    "L2": "A thread and an agent have at most the configured number of open requests.",
    "L6": "A person who answers too fast gets the time to retry, and is then accepted.",
    "L7": "The used quota is shown, and restarts when its window has passed or an admin resets it.",
    "L8": "A deadline is from a second to thirty days from now, or never.",
    "M10": "A request whose kind is no longer registered says so, can be dismissed, and the agent is notified.",
    "M9": "Each reason of a cancellation is in the outcome and in the event.",
}

BEHAVIOURS_UNDER_ATTACK = {
    # Found by attacks and by daily use
    "C18": "An unsent answer is kept and sent when the connection is back, a decision for two minutes.",
    "D20": "A long list of options has a filter that works by keyboard.",
    "D22": "The texts of askback are in the reader's language.",
    "G13": "A page shows only confirmed facts.",
    "J5": "The latest question gets the focus only if nobody is typing, and returns it.",
    "J8": "Typed text survives a reload, except for sensitive fields.",
    "J10": "The remaining time is measured by the server, whatever the clock of the page says.",
    "J12": "Another language applies to open cards immediately and keeps typed text.",
    "J13": "Many simultaneous requests make one notification, and an immediately answered one makes none.",
    "N1": "No text and no JSON from others changes how the server reads a request.",
    "N2": "The person whose answer counted sees that it counted, in spite of checks, reprompts and reloads.",
    "N3": "A check of an answer ends: accepted, asked again, or returned to the person with the submitted values.",
    "N4": "An answer that came in time counts, however long it is checked.",
    "N5": "The same key with the same body returns the current request, before any other check.",
    "N6": "One command backs up, one restores, and the restored server leases the secrets.",
    "N7": "Reading without asking stays below the agent's roots, and excludes secret files and the data of askback.",
    "N8": "A session cookie opens nothing without the second half, which only pages of the server's origin have.",
    "N9": "A rule, a mode and a secret apply to one agent, unless a person chooses every agent.",
    "N10": "A prefix rule covers only uses of a program that its words name; without a table it allows nothing.",
    "N11": "Accepting edits accepts source files and documents below a root, and nothing that tools load or agents obey.",
    "N12": "A literal command can be stored as an exact rule, and any difference needs approval.",
    "N13": "The real inputs of coding agents are understood: folders, timeouts, flags, argument vectors.",
    "N14": "A refusal is remembered for a while by the meaning of the call, and only people lift it.",
    "N15": "Tokens and sessions are listed and ended, tokens are limited, and an ended one is refused within a second.",
    "N16": "Slow heads and bodies, wrong tokens, open requests, messages and answers are bounded without a setting.",
    "N17": "A resume and an answer name the request: the question, the labels, the tool and its input.",
    "N18": "An empty answer is accepted exactly if every field is optional, on both sides.",
    "N19": "A request settled on creation creates one resume for an agent that uses resumes.",
    "N20": "The cost of a page of a list depends on the page, not on the size of the table.",
    "N21": "A command that reads creates nothing: a wrong folder is an error with its path.",
    "N22": "Each supported framework resolves to its newest release together with askback.",
}

CHOICES = {
    # Options, conditions and forms in parts
    "A11": "Several controls of one form are shown together; the form says whether all, the first, or any one answers it.",
    "D7": "A value is returned with its type: a number, a text, a list, and a skipped question as skipped.",
    "F17": "A form in steps checks each step, keeps values on the way back, and shows all answers at the end.",
    "F30": "An error names its field, is linked to it, and opens the step in which it is.",
    "F33": "A field hidden by a condition is not asked, sent or stored, and the server refuses a value for it.",
}

TRANSLATED = {
    # Forms in the formats of others
    "F31": "A JSON Schema, a Pydantic model, a dataclass or a TypedDict becomes a form, and its answer a value that fits it.",
    "F32": "A form is a surface that A2UI's schemas accept, and the values entered there are its answer.",
    "C19": "The same question is the same form, from an MCP elicitation, a JSON Schema or a model.",
}

IHUB = {
    # The source system iHub
    "D1": "The tool `ask_user` has its record and its schema in English and German, with iHub's limits.",
    "D2": "A question without an `input_type` is a text, and each of iHub's types has its control.",
    "D3": "A question is an event in the format of iHub's document, or in that of its page.",
    "D4": "A question ends the turn: `done` follows with the reason and the question.",
    "D5": "The model reads that its question waits for the user.",
    "D6": "The other tool calls of a waiting turn report that they were not run.",
    "D10": "A bad question is refused in iHub's words, and nothing is stored.",
    "D19": "A tool that requires user input pauses the turn as `ask_user` does.",
}

GOBBY = {
    # The source system Gobby
    "C1": "A card has one to four questions with two to four options; other numbers are refused with their path.",
    "C2": "The held call gets the unchanged questions and the answers by their text; other tools get their original input.",
    "C14": "A question that nobody answers in time is denied, and never looks like an answer.",
}

NEBO = {
    # The source system Nebo
    "A13": "Without an open page an ask fails immediately with Nebo's message if the agent wants that, and otherwise stays open.",
    "A18": "A chat has each ask in its message, at any moment, even while the message is streamed.",
}

PROMISES = {
    # Promised by the five source systems, and not kept by their own code
    "P1": "An answered ask is read-only after a reload, even in a stream that has not ended.",
    "P2": "An agent that was away when its ask was answered gets the answer, and any page can give it.",
    "P3": "Each of several open asks has its block in the message of its stream.",
    "P4": "The validation of a question is enforced on the server.",
    "P5": "The limit of questions of a conversation holds over servers and restarts.",
    "P6": "A confirmation is two buttons.",
    "P7": "A pattern that makes other engines hang is matched in linear time.",
    "P8": "Every text of a question exists in both languages.",
    "P9": "Tool calls that wait at the same time in one conversation are answered separately.",
    "P10": "Questions with the same text, and labels with commas, are distinguished.",
    "P11": "An answer that reaches nobody is an error for its sender.",
    "P12": "Confirmations, pickers of MCP servers and of files work like the request for variables.",
    "P13": "The existence of a value is checked in the chosen scope, for each name.",
    "P14": "A truncated, changed or moved ciphertext does not open, and keys can be rotated.",
    "P15": "Steps, optional sections and the completed view are shown.",
    "P16": "Page and server check an answer by the same rules.",
    "P17": "An accepted submission is not undone by a later cancellation or timeout.",
}

LOOKS = {
    "F25": "The summary of an answer fills the form's template as plain text, and shows the inputs where the form says so.",
    "F29": "Two forms of one tool call are shown in the order of asking, even after a reload.",
    "J11": "Every page fits from 320 px on, in the dark, from right to left and without motion.",
}

INBOX = {
    # K continues with the other actions of people in the inbox
    "K10": "A person who may answer assigns a request to others; every screen shows it, and nobody gains access.",
    "K11": "A person snoozes a request until a time, on all their devices and for nobody else.",
    "K12": "People comment on a request, and agents, events, webhooks and resumes never have a comment.",
    "K13": "A request that expired is missed by each person who could have answered it, until they have seen it.",
    "K14": "Every settled request is found by its kind, agent, thread, person, outcome, time and words, at a constant cost.",
}

ASKED = {
    **FIRST_SLICE,
    **APPROVALS,
    **SECRETS,
    **DURABLE,
    **BEHAVIOURS_UNDER_ATTACK,
    **CHOICES,
    **TRANSLATED,
    **IHUB,
    **GOBBY,
    **NEBO,
    **PROMISES,
    **LOOKS,
    **INBOX,
}

HELD_ALREADY = {
    "C3": "Options that let calls run without a prompt are refused when a session starts, each with its reason.",
    "C6": "A session is prepared once: when its start is reported, else at its first prompt.",
    "C17": "A settled card cannot be changed and shows what was chosen.",
    "L9": "A reader that is too slow is dropped, and resumes by its cursor without a loss.",
}
"""Promises of later pieces that tests hold today; they need no test yet."""
