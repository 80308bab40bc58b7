"""The promises of askback, one sentence for each requirement id that a test must carry.

Grouped by the piece of work that asked for them. An id here without a test fails
`tests/structure/test_requirements.py`, and so does a test with an id that is not here.
"""

from __future__ import annotations

FIRST_SLICE = {
    # A is about asking
    "A1": "Buttons, confirm, select, radio and checkbox each show their own control and give its value.",
    "A2": "A confirmation shows Yes and No, and the agent gets which was chosen; a question without choices is free text.",
    "A3": "A confirm keeps the options it was given, in their order, and says Yes and No when it was given none.",
    "A4": "A choice without options is refused when it is asked, with its path, and nothing is stored or shown.",
    "A5": "A click on a lone row of buttons answers at once, and a double click answers once.",
    "A6": "A lone select opens on a placeholder and cannot be submitted before a choice.",
    "A7": "A radio list works by arrow keys and Enter, and cannot be submitted before a choice.",
    "A8": "Several ticks come back as a list in the order of the options, whatever the order of the clicks.",
    "A9": "A default is chosen in advance but answers nothing by itself, and one that is no option is refused.",
    "A10": "Typed text is accepted where Other is allowed, and is marked as not being one of the options.",
    "A12": "A question that is blank or only whitespace is refused, and nothing is stored.",
    "A14": "A request has one id, the same in what the agent and what the browser see.",
    "A15": "An option is a string or an object with label, description, recommended and style; danger asks twice.",
    "A16": "Skip, where it is allowed, is an outcome of its own and never a value in an answer.",
    "A17": "A settled question is one line that opens to the read-only form, the same after a reload.",
    "A19": "A request shows at the message and tool call that asked it, also when two runs ask at once.",
    "A20": "Parallel questions answered in any order each give their own answer to their own caller.",
    "A22": "A batch list asks for several rows, each accepted or declined, and the answer has a map of decisions.",
    "A21": "An action that fails ends as failed with its reason, and can be tried again while it is open.",
    # C is about question cards
    "C7": "In a single choice a new choice replaces the old one.",
    "C8": "In a multiple choice each option toggles by itself.",
    "C9": "Other adds to the ticks of a multiple choice, and a blank Other cannot be submitted.",
    "C10": "A form with required fields left open is not sent, and says what is missing.",
    "C11": "Answers are keyed by field id, so two questions with the same text keep two answers.",
    "C12": "An answer to an unknown or an old request is an error that reaches its sender.",
    "C13": "Several requests can be open in one thread, and each is answered on its own.",
    "C16": "An empty answer is refused and leaves the request open; it never looks like a success.",
    # D is about what may be asked and answered
    "D11": "A text that is too long is refused, never cut.",
    "D12": "Lengths count Unicode code points, in Python and in the browser.",
    "D13": "Patterns run in linear time; what RE2 cannot compile is refused when it is asked, what it can is accepted.",
    "D14": "A pattern must match the whole text, a trailing newline included, on both sides.",
    "D15": "The server checks every answer by the form's rules, for every sender; a bad one leaves the request pending.",
    "D16": "A value that is no option is accepted only where Other is allowed.",
    "D17": "Skipping is refused where it is not allowed, and the page then offers no Skip.",
    "D18": "A date is YYYY-MM-DD on the wire, whatever the language of the page.",
    # F is about forms
    "F1": "Eleven field types are shown, answered and come back typed.",
    "F2": "A form has fields or sections, exactly one of the two, and not empty.",
    "F3": "A form that contradicts itself is refused with every fault at once, each with its path and a sentence.",
    "F4": "A required field needs a value, and a required tick needs to be ticked.",
    "F5": "A field left empty is not in the answer.",
    "F6": "Text lengths and patterns are judged alike in Python and in the browser.",
    "F7": "Numbers are finite and keep to min, max and step.",
    "F8": "Dates and times are real ones, within their bounds, and a date with time names its offset or zone.",
    "F9": "Choices are options of the field, not repeated, and within the number allowed.",
    "F10": "A value for a field that does not exist is refused and never stored.",
    "F11": "A field may leave its checks to the server, and the server's verdict shows at the field.",
    "F12": "Initial values win over defaults, and false and 0 count as values.",
    "F18": "An optional section left empty is skipped; one begun must be complete.",
    "F19": "Submit and cancel labels are shown as plain text, with defaults in the reader's language.",
    "F20": "A cancelled request tells the agent so once, with the reason and the note.",
    "F21": "A request that was answered cannot be cancelled; of a race the first wins.",
    "F27": "A page that cannot answer shows the request disabled, says why, and tells the server so.",
    "F28": "A request stands where it was asked, in a block of its own at the end, or in place of the composer.",
    "F26": "A settled form shows its values read-only, without a control to edit them.",
    # G is about transports
    "G1": "Requests are created, read, listed, answered, declined and cancelled over HTTP, as the OpenAPI says.",
    "G2": "The WebSocket has the same operations and events as HTTP.",
    "G3": "An event stream that was cut goes on where it ended: nothing lost, nothing doubled.",
    "G4": "A page opened or reloaded in the middle shows what is open, and it can be answered.",
    "G5": "Events of a thread are numbered without a gap, and a reader ignores what it has seen.",
    "G6": "A long poll returns as soon as the request settles, for every waiter.",
    "G7": "An agent's await survives the death and restart of the server.",
    "G9": "An MCP tool reports progress, returns pending in time, and the answer comes by get_answer.",
    "G8": "A restarted agent with its old key finds its question and the answer given meanwhile.",
    # H is about keeping
    "H1": "A request is on disk before anybody is told of it.",
    "H2": "Events are only ever added, and a request's state is what its events say: the first end wins.",
    "H4": "Of any number of answers at once one settles the request; the others get it as it was settled.",
    "H7": "Every outcome shows the same after a reload.",
    "H8": "Open requests stay open over a restart of the server, or have expired then, as was set.",
    # I is about safety
    "I1": "Every route needs a credential, and each role can do only what is its own.",
    "I2": "An agent can never answer, decline or approve: it is refused, and the attempt is recorded.",
    "I3": "A page of another origin can neither connect nor post with the person's cookie.",
    "I4": "Markdown is shown from an allow-list; scripts, HTML, images and odd links never come to life.",
    "I5": "Labels are text and never become markup.",
    "I6": "The pages run under a strict content policy with Trusted Types and break none of it.",
    "I7": "No route but answering and settling changes a request.",
    "I12": "What is unknown and what belongs to others look exactly the same.",
    "I13": "Ids such as __proto__ and constructor are ordinary ids.",
    # J is about the page
    "J1": "A question shows in its place in the conversation, and several keep their order.",
    "J3": "Everything works by keyboard: Enter, Ctrl+Enter, arrows, and Escape only where skipping is allowed.",
    "J4": "An axe run finds no fault, errors are tied to their fields, and news is announced.",
    "J6": "Each state of a request has its own words and sign.",
    "J7": "A form is sent once however often it is clicked, and a failed send keeps the input and can be repeated.",
    # K is about several people
    "K1": "When one person answers, every other screen turns read-only and says who answered.",
    "K2": "The second person to answer learns that it was answered, and how.",
    # L is about limits
    "L3": "Every size has a limit that is listed and can be set: the limit is accepted, one more is refused.",
    "L4": "The number of fields and sections and the size of a form are limited, and the refusal names the limit.",
    "L5": "A body over the limit is refused before it is read to the end.",
    # M is about errors
    "M1": "Every error has one shape and a stable code.",
    "M2": "Each kind of refusal has its own status.",
    "M3": "A refused second answer carries the settled request.",
    "M4": "The same key with the same body does it once and returns what was done; another body is refused.",
    "M5": "Outcomes and their reasons are a closed set, and none of them looks like an answer.",
    "M8": "An unknown id is an error to its sender and to nobody else.",
}

APPROVALS = {
    # B is about what a tool may do
    "B1": "The level deny refuses, allowlist runs what is listed, and full runs what is not dangerous.",
    "B2": "Every cell of the table of levels, ask modes, listed and dangerous is written down and holds.",
    "B3": "On a fresh server looking is not asked, `git status` among it, and `git push` is.",
    "B4": "A command runs unasked only when every part of it is understood and matches a rule.",
    "B5": "A command that cannot be parsed is asked, never allowed.",
    "B6": "A rule is about whole words: blanks and quotes do not matter, another path is another program.",
    "B7": "Deny comes before ask and ask before allow, and no rule or mode loosens a hard limit.",
    "B8": "Only a scope that was offered can be chosen, and a decision reaches just as far as its scope.",
    "B9": "Always stores the exact words that were shown, and nothing where that could become something else.",
    "B10": "A rule for a tool with patterns for its arguments covers these arguments only.",
    "B11": "A rule survives a restart, says who made it, when and why, and ends when it is revoked or expires.",
    "B12": "A locked rule asks each time and says that always cannot be offered.",
    "B13": "What would run is shown whole, as a command, a change of a file or JSON, under a short headline.",
    "B14": "A character that cannot be seen or would deceive is shown written out.",
    "B15": "A decision carries the digest of the call that was decided about, and is used once and for no other call.",
    "B16": "An input is edited only where the agent allows it; it replaces, is checked and is bound anew.",
    "B17": "A call that a person refused in this thread is refused at once when it is asked again, and reaches nobody.",
    "B18": "A refusal tells the model which tool was refused, and the person's note.",
    "B19": "A word that is no decision is refused, and the request stays open.",
    "B20": "An approval is open for five minutes unless the agent says otherwise, and nobody in time means no.",
    "B21": "Tools that only read are not asked, except where they reach for secrets.",
    "B22": "Each mode lets run what it is for and no more, and full has to be typed out and is audited.",
    "B23": "A plan is approved, approved with its edits, or sent back with what to change, also after a restart.",
    "B24": "A late yes goes through the policy again, and a rule that denies by now wins.",
    "B25": "Many approvals wait in their order, each on its own, and one action deals with all that are listed.",
    "B26": "What is dangerous about a call is said in words, without false alarm about names that only look alike.",
    "B27": "At a terminal without a server the person is asked there, and an empty line means no.",
    "B28": "Every decision is in the audit log with who, how, by which rule and when, and a changed log is found out.",
    "B29": "An unknown tool and an input that cannot be read are asked or refused, never allowed.",
    # C is about the agent's side
    "C4": "A listed tool runs at once, with its input as it is.",
    "C5": "The no of a hook wins over the yes of a person.",
    "C20": "When the agent is interrupted its request is taken back and closes everywhere.",
    # J, K and M are about the page, several people and the model
    "J2": "As a modal one approval shows after the other, and Escape closes nothing and answers nothing.",
    "J9": "What waits in all threads is listed and counted, and declined in one action.",
    "K7": "While one person types an answer the others see who it is, until ten seconds of quiet.",
    "K6": "Of several people as many have to agree as was asked for, one no is enough, and nobody votes twice.",
    "M6": "Each outcome has a text for the model, which can be replaced, and only a yes reads as permission.",
}

SECRETS = {
    # E is about secrets
    "E1": "Asking for secrets returns at once, with names and a state and never a value.",
    "E2": "One to ten different names are asked for, each of capital letters, digits and underscores, and come back sorted.",
    "E3": "A name that decides what a process runs is refused when it is asked for, handed over and kept.",
    "E4": "The card has an input for each name, the reason, the help, the scope and the warning, in the reader's language.",
    "E5": "A value goes from the person to the vault and is found in the clear nowhere else, whatever happens on its way.",
    "E6": "Exactly the names that were asked for are taken, each with 1 to 10,240 bytes that are not blank.",
    "E7": "A value is kept exactly as it is, and white space at an end of it is warned about.",
    "E8": "What the agent reads has the exact words for each outcome, for one name and for several, and says who speaks.",
    "E9": "Nobody is asked for what is set already in the suggested scope, and of several names only for those that are not.",
    "E10": "A saved value is used without typing it again, if it is there, and never together with a typed one.",
    "E11": "The person chooses where a secret holds; the agent only suggests.",
    "E12": "Names that were dismissed in a thread are not asked for again there at once, and the agent is told.",
    "E13": "A sealed value opens for what it was sealed for and for nothing else, and not when a bit of it has changed.",
    "E14": "Without a master key secrets are refused with a clear error, and everything else works.",
    "E15": "All secrets come under a new master key while they are read and written, and none is lost.",
    "E16": "Whatever is wrong with a sealed value, the error is the same.",
    "E17": "A value is had by an executor that leases it, and stands in nothing else that an agent holds or shows.",
    "E18": "Known values are replaced by their names in what a command or a tool puts out, as it streams.",
    "E19": "What is kept is listed by name, replaced and erased, and no route but the lease returns a value.",
    "E20": "Names are shown to everybody who reads the thread, unless the agent hides them from who may only read.",
    "E21": "Each name has its help within its limits, and a key of many lines is kept to the byte.",
    "E22": "A sensitive field of a form keeps its value as a secret, and the agent gets a reference.",
    "E23": "A value that the agent or the server tries first counts when it holds, and is asked for again when it does not.",
    "E24": "An account is connected by the latest click alone, with PKCE, and a forged callback is refused.",
    "E25": "No route and no event gives a saved value back to a page.",
    "H6": "What was being tried when a server died is never tried again by itself, and nobody waits for it for ever.",
    "H12": "A copy of the database holds no value in the clear.",
    # I and K are about safety and several people
    "I8": "A card says whose token asks, and what the agent writes cannot pass for a part of the page.",
    "I9": "What a person answers is data to the model: it cannot end its own text or pass for one of ours.",
    "I10": "The value of a secret or of a sensitive field is in no log, whatever its level.",
    "K3": "Who may view, prompt or do all in a thread does that for every kind, its owner shares it, and nobody does more.",
    "K4": "The agent of a thread uses a value no matter who typed it, and the log says who did.",
    "K5": "Only the people and groups that a request names may answer, and nobody when the groups cannot be looked up.",
    "K8": "Who may not see a thread finds nothing of it in any list, event or reply.",
}

DURABLE = {
    # C is about the agent's side
    "C15": "What nobody could see, what nobody answered in time and what somebody declined are told apart.",
    # D is about how much is asked
    "D8": "A thread is asked as many questions as was set, over restarts and servers, and the next is refused in words.",
    "D9": "A question counts when it is asked; it is given back where that is set, and an admin begins anew.",
    "D21": "Where a question comes first, a message is refused in the words that say so, as long as it is open.",
    # F is about forms that are checked, and about time
    "F13": "The requester's validator has the last word about an answer, and the person sees that it is being checked.",
    "F14": "What does not hold is asked again under the same id, as another revision, with what was wrong and what was typed.",
    "F15": "Nobody is asked again for ever: after as many times as the limit says it has failed.",
    "F16": "An answer to an earlier revision gets the current question, and nothing typed is lost.",
    "F22": "A deadline expires, cancels, answers with declared defaults, or leaves it open under the same id.",
    "F23": "What came of a request reaches an agent that has ended its turn, once, unless it wants none of it.",
    "F24": "What an answer says in the text of the next turn stays within its attribute, and is read back as it was.",
    # G is about the ways on which something reaches somebody
    "G11": "A request that needs somebody with a page that can answer never waits where there is nobody.",
    "G10": "What happens is pushed to webhooks, signed and with the time, until it is taken or three days have passed.",
    "G14": "A body or a frame at the limit is read, and one byte more is refused with the reason.",
    "H3": "Several servers share a Postgres database, and it does not matter at which of them somebody asks or answers.",
    "H5": "A resume is written with the end of its request, comes until it is acknowledged, and is acted upon once.",
    "H9": "Archiving a thread takes back what is open, releases who waits within a second and takes nothing new.",
    "H10": "A deadline fires once, by the clock of the database, however many servers watch it.",
    "I11": "No webhook leads inside, whatever its address, its name or a redirect says.",
    "H11": "A thread is exported whole, erased so that no file of the store has any of it, and erased by age.",
    "J14": "What a person writes answers a form only where it can mean nothing else; otherwise it stays open and says so.",
    "K9": "What was said by somebody who may not say it any more is no resume for now, and the audit log says so.",
    "L1": "Forms are counted for each thread and approvals never.",
    "L2": "No more requests are open in a thread, or of an agent, than was set.",
    "L6": "Who answers too fast is told when to go on, and then it is taken.",
    "L7": "What was used is shown, and begins anew when its window has passed or an admin says so.",
    "L8": "A deadline is from a second to thirty days from now, or never.",
    "M10": "A request whose kind is not registered any more says so, can be dismissed, and the agent is told.",
    "M9": "Each reason to take a request back is what the outcome and the event say.",
}

ATTACKED = {
    # What attacks and daily use found
    "C18": "What could not be sent is kept and sent again when the connection is back, a decision for two minutes.",
    "D20": "A long list of options has a filter that works by keyboard.",
    "D22": "What askback itself says is in the reader's language.",
    "G13": "What a page does not know it does not pretend to know.",
    "J5": "The latest question takes the focus only where nobody is typing, and gives it back.",
    "J8": "What a person typed survives a reload, but for what is sensitive.",
    "J10": "The time that is left is the server's, whatever the clock of the page says.",
    "J12": "Another language applies to open cards at once and keeps what is typed.",
    "J13": "Many requests at once make one notification, and what is answered at once makes none.",
    "N1": "No text and no JSON that others choose changes how the server reads a request.",
    "N2": "The person whose answer counted reads that it counted, whatever was checked, asked again or reloaded meanwhile.",
    "N3": "A check of an answer ends: accepted, asked again, or given back to the person with what was sent.",
    "N4": "An answer that came in time counts, however long it is checked.",
    "N5": "The same key with the same body gets the request as it is, before anything else is checked.",
    "N6": "One command backs up, one restores, and the restored server leases the secrets.",
    "N7": "Reading unasked stays below the agent's roots, off secret files and off the data of askback itself.",
    "N8": "A session cookie opens nothing without the second half, which only the pages of the server's origin hold.",
    "N9": "A rule, a mode and a secret are for the agent for which they were given, unless a person says every agent.",
    "N10": "A prefix rule lets a program do no more than its words say; without a table of the program it allows nothing.",
    "N11": "Accepting edits accepts source files and documents below a root, and nothing that tools load or agents obey.",
    "N12": "A command whose text says what runs can be kept as exactly itself, and one character more is asked.",
    "N13": "The inputs that coding agents really send are understood: folders, timeouts, flags, argument vectors.",
    "N14": "What a person refused is remembered for a while as it was meant, and only people lift it.",
    "N15": "Tokens and sessions are listed and ended, tokens are limited, and an ended one is refused within a second.",
    "N16": "Slow heads and bodies, wrong tokens, open requests, messages and answers are bounded without a setting.",
    "N17": "A resume and an answer name the request: the question, the labels, the tool and its input.",
    "N18": "An empty answer is taken exactly where every field is optional, on both sides alike.",
    "N19": "What is settled at once is told by one resume to an agent that goes on by resumes.",
    "N20": "A page of a list costs what is on the page, however much is in the table.",
    "N21": "A command that reads creates nothing: a wrong folder is an error with its path.",
    "N22": "Each supported framework resolves to its newest release beside askback.",
}

CHOICES = {
    # Options, conditions and forms in parts
    "A11": "Several controls in one form are shown at once; the form says whether all, the first, or any one answers it.",
    "D7": "A value comes back as the type that it has: a number, a text, a list, and a skipped question as skipped.",
    "F17": "A form in steps checks each step, keeps what was entered on the way back, and shows all answers at the end.",
    "F30": "An error names its field, is linked to it, and opens the step in which it is.",
    "F33": "What a condition hides is not asked, not sent and not stored, and the server refuses a value for it.",
}

TRANSLATED = {
    # Forms in the formats of others
    "F31": "A JSON Schema, a Pydantic model, a dataclass or a TypedDict becomes a form, and its answer a value that fits it.",
    "F32": "A form is a surface that A2UI's own schemas accept, and what was entered there is its answer.",
    "C19": "The same question is the same form, from an MCP elicitation, a JSON Schema or a model.",
}

IHUB = {
    # The source system iHub
    "D1": "The tool `ask_user` has its record and its schema in English and German, with iHub's limits.",
    "D2": "A question without an `input_type` is a text, and each of iHub's types is a control of its own.",
    "D3": "A question is an event in the shape of iHub's document, or in that of its page.",
    "D4": "A question ends the turn: `done` follows with the reason and the question.",
    "D5": "The model reads that its question waits for the user.",
    "D6": "The other tool calls of a turn that waits say that they were not run.",
    "D10": "A bad question is refused in iHub's words, and nothing is stored.",
    "D19": "A tool that requires user input pauses the turn as `ask_user` does.",
}

GOBBY = {
    # The source system Gobby
    "C1": "A card has one to four questions with two to four options, and more or fewer are refused with their place.",
    "C2": "The held call gets the questions as they were and the answers by their text; other tools get their own input.",
    "C14": "A question that nobody answers in time is denied, and never looks like an answer.",
}

NEBO = {
    # The source system Nebo
    "A13": "Without an open page an ask fails at once in Nebo's words where the agent wants that, and else stays open.",
    "A18": "A chat has each ask in the message that asked it, at any moment, also while that is streamed.",
}

PROMISES = {
    # What the five source systems promise and their own code does not keep
    "P1": "An answered ask is read-only after a reload, also one of a stream that has not ended.",
    "P2": "An agent that was away when its ask was answered gets the answer, and any page can give it.",
    "P3": "Of several open asks each has its block in the message of its own stream.",
    "P4": "The validation of a question is enforced on the server.",
    "P5": "The limit of questions of a conversation holds over servers and restarts.",
    "P6": "A confirmation is two buttons.",
    "P7": "A pattern that makes other engines hang is matched in time that grows with the text only.",
    "P8": "Every text of a question exists in both languages.",
    "P9": "Tool calls that wait at the same time in one conversation are answered each for itself.",
    "P10": "Questions with the same text, and labels with commas, are told apart.",
    "P11": "An answer that reaches nobody is an error for who sent it.",
    "P12": "Confirmations, pickers of MCP servers and of files work like the request for variables.",
    "P13": "Whether a value is already there is asked in the scope that was chosen, for each name.",
    "P14": "A sealed value that was cut short, changed or moved does not open, and keys can be rotated.",
    "P15": "Steps, optional sections and the view of what was answered are shown.",
    "P16": "Page and server check an answer by the same rules.",
    "P17": "A submission that was accepted is not undone by a later cancellation or timeout.",
}

LOOKS = {
    "F25": "The summary of an answer fills the form's template as plain text, and shows the inputs where the form says so.",
    "F29": "Two forms of one tool call stand in the order in which they were asked, after a reload too.",
    "J11": "Every page fits from 320 px on, in the dark, from right to left and without motion.",
}

INBOX = {
    # K continues with the other actions of people in the inbox
    "K10": "A person who may answer hands a request to others; it shows everywhere at once and gives nobody access.",
    "K11": "A person puts a request aside until a time, on all their devices and for nobody else.",
    "K12": "People comment on a request, and agents, events, webhooks and resumes never have a comment.",
    "K13": "A request that expired is missed by each person who could have answered it, until they have seen it.",
    "K14": "Every settled request is found by its kind, agent, thread, person, outcome, time and words, at a flat cost.",
}

ASKED = {
    **FIRST_SLICE,
    **APPROVALS,
    **SECRETS,
    **DURABLE,
    **ATTACKED,
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
