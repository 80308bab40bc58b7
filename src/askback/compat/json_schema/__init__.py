"""JSON Schema 2020-12, with the `ui:` hints of RJSF, as forms, and forms as JSON Schema.

read = read_schema({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
read.form                       the form to ask
read.instance(answer.values)    the value that the schema describes
read.losses                     keywords that the form does not check

written = write_schema(form)
written.schema                  describes `answer.values`
written.ui                      the rest of the form: with it, `read_schema` returns the same form
written.losses                  rules that the schema does not check
"""

from askback.compat.json_schema.reader import read_schema
from askback.compat.json_schema.result import SchemaForm, WrittenSchema
from askback.compat.json_schema.writer import write_schema

__all__ = ["SchemaForm", "WrittenSchema", "read_schema", "write_schema"]
