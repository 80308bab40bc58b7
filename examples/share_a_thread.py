"""An agent begins a thread for one person, who lets a colleague help and another one watch."""

from askback import Client, Form, Text

with Client() as ask:
    ask.threads.share("report-7", owner="ada", people={"bob": "prompt", "eve": "view"})
    form = Form(title="Report", fields=[Text(id="title", label="Title", required=True)])
    answer = ask.form(form, thread_id="report-7", assignees=["ada"])
    print(answer.values["title"])
