/**
 * Fields of type `rows` as plain fields: a decision for each row, and its fields, which are shown
 * if it is accepted.
 *
 * `src/askback/domain/rows.py` has the same rule: their ids are the steps to the value, one on each line.
 */

import { allFields, nameOf, type Values } from "../../core/form.ts";
import type { Field, Form, InputRequest, Json, Radio, Rich, Row, Rows } from "../../core/generated/wire.ts";
import { ownValue } from "../../core/path.ts";
import { texts } from "../localtexts.ts";
import { type GetText, getTextIn, localeOf } from "../text.ts";

/** The place of a plain field among the rows of a field. */
export interface RowPlace {
  readonly rows: Rows;
  readonly row: Row;
  readonly markdown: Rich[] | undefined;
  /** Whether it is the last one of its row. */
  readonly isLastOfRow: boolean;
}

interface FlattenedRows {
  readonly source: Form;
  readonly places: ReadonlyMap<string, RowPlace>;
}

type Trees = Record<string, Rich[]>;

/** A flat form has its rows under this symbol, which its copies (`{ ...form }`) have too. */
const ROWS = Symbol("rows");

type FlatForm = Form & { readonly [ROWS]?: FlattenedRows };

/** The sources of flattened requests. */
const sources = new WeakMap<InputRequest, InputRequest>();
const flattenedRequests = new WeakMap<InputRequest, { words: string; flat: InputRequest }>();

const decisionId = ({ id }: Rows, row: Row): string => `${id}\n${row.id}\ndecision`;
const fieldId = ({ id }: Rows, row: Row, field: { id: string }): string =>
  `${id}\n${row.id}\nvalues\n${field.id}`;

/** The place of a field of a flat form among rows. */
export const placeOf = (form: FlatForm, id: string): RowPlace | undefined => form[ROWS]?.places.get(id);

/** Return the form with plain fields in place of its rows, and add their Markdown trees to `flatTrees`. */
export function flattenForm(form: Form, getText: GetText, trees: Trees = {}, flatTrees: Trees = {}): Form {
  const places = new Map<string, RowPlace>();
  const flattenFields = (fields: readonly Field[], path: string): Field[] => {
    const result: Field[] = [];
    const add = (field: Field, treePath: string): void => {
      const tree = ownValue(trees, `${treePath}.description`);
      if (tree) flatTrees[`${path}.fields[${result.length}].description`] = tree;
      result.push(field);
    };
    for (const [index, field] of fields.entries()) {
      const fieldPath = `${path}.fields[${index}]`;
      if (field.type !== "rows") add(field, fieldPath);
      else
        for (const [number, row] of field.rows.entries()) {
          const decision = decisionOf(field, row, getText);
          const innerFields = (row.fields ?? []).map((item) => plainField(field, row, item));
          const rowAt = `${fieldPath}.rows[${number}]`;
          for (const [order, item] of [decision, ...innerFields].entries()) {
            add(item, order ? `${rowAt}.fields[${order - 1}]` : rowAt);
            const markdown = ownValue(trees, `${fieldPath}.description`);
            places.set(item.id, { rows: field, row, markdown, isLastOfRow: order === innerFields.length });
          }
        }
    }
    return result;
  };
  const { fields, sections, initial_values } = form;
  const [first] = allFields(form);
  const flatForm: FlatForm = {
    ...form,
    title: form.title || (first?.type === "rows" ? nameOf(form, first) : form.title),
    fields: fields && flattenFields(fields, "form"),
    sections: sections?.map((item, at) => ({
      ...item,
      fields: flattenFields(item.fields, `form.sections[${at}]`),
    })),
    initial_values: initial_values && flattenValues(form, initial_values),
    [ROWS]: { source: form, places },
  };
  return flatForm;
}

/** The choice between the two buttons of a row. */
function decisionOf(field: Rows, row: Row, getText: GetText): Field {
  const { required, messages, validate_on_client, visible_if, accept_label, decline_label } = field;
  const decision: Radio & { widget: string; about: unknown } = {
    // Not drawn with the row, but what is decided about it depends on it.
    about: [field.label, field.description],
    type: "radio",
    widget: "buttons",
    id: decisionId(field, row),
    label: row.label,
    description: row.description,
    required,
    messages,
    validate_on_client,
    visible_if,
    options: [
      { value: "accept", label: accept_label || getText("choices.accept") },
      { value: "decline", label: decline_label || getText("choices.decline") },
    ],
  };
  return decision;
}

const plainField = (field: Rows, row: Row, item: NonNullable<Row["fields"]>[number]): Field => ({
  ...item,
  id: fieldId(field, row, item),
  label: item.label || row.label,
  visible_if: { field: decisionId(field, row), is: "accept" },
});

const isObject = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Return the values of a form by the ids of its plain fields. */
export function flattenValues(form: Form, values: Values): Values {
  const rows = new Set(allFields(form).flatMap(({ id, type }) => (type === "rows" ? [id] : [])));
  const members = (value: Json | undefined): [string, Json][] =>
    isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    members(values).flatMap(([id, value]): [string, Json][] =>
      rows.has(id)
        ? members(value).flatMap(([row, decision]) =>
            members(decision).flatMap(([key, item]): [string, Json][] =>
              key === "values"
                ? members(item).map(([name, inner]) => [`${id}\n${row}\nvalues\n${name}`, inner])
                : [[`${id}\n${row}\n${key}`, item]],
            ),
          )
        : [[id, value]],
    ),
  );
}

function nestValues(entries: readonly [string[], Json][]): Values {
  const groups = new Map<string, [string[], Json][]>();
  for (const [[step = "", ...rest], value] of entries)
    groups.set(step, [...(groups.get(step) ?? []), [rest, value]]);
  const pairs = [...groups].map(([step, inner]): [string, Json] => {
    const [[rest, value]] = inner as [[string[], Json]];
    return [step, rest.length > 0 ? nestValues(inner) : value];
  });
  return Object.fromEntries(pairs);
}

/** Return values of plain fields as the answer has them. */
export const foldValues = (values: Values): Values =>
  nestValues(Object.entries(values).map(([id, value]) => [id.split("\n"), value]));

/** The body for a request, with the values in the shape of the answer. */
export const nestAnswer = <T>(body: T): T =>
  isObject(body) && isObject(body.values) ? { ...body, values: foldValues(body.values) } : body;

/** A request in the language of its reader, with plain fields in place of rows. */
export function flatten(request: InputRequest, element?: Element): InputRequest {
  const source = sources.get(request) ?? request;
  const localizedRequest = texts.localize?.(source, element) ?? source;
  const { form, answer, submitted, view } = localizedRequest;
  if (!form || !allFields(form).some(({ type }) => type === "rows")) return localizedRequest;
  const getText = getTextIn(localeOf(element ?? document.documentElement));
  const words = `${getText("choices.accept")} ${getText("choices.decline")}`; // English ones until those of the language are there
  const cached = flattenedRequests.get(localizedRequest);
  if (cached?.words === words) return cached.flat;
  const trees: Trees = { ...view?.markdown };
  for (const path of Object.keys(trees)) if (path.includes(".fields[")) delete trees[path];
  const flat: InputRequest = {
    ...localizedRequest,
    form: flattenForm(form, getText, view?.markdown ?? {}, trees),
    view: { ...view, markdown: trees },
    ...(answer?.values && { answer: { ...answer, values: flattenValues(form, answer.values) } }),
    ...(submitted?.values && { submitted: { ...submitted, values: flattenValues(form, submitted.values) } }),
  };
  flattenedRequests.set(localizedRequest, { words, flat });
  sources.set(flat, localizedRequest);
  return flat;
}

/** The texts of the values by field, with one for all rows of a field. */
export function joinRows(form: FlatForm, texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const source = form[ROWS]?.source;
  if (!source) return texts;
  const line = (field: Rows, row: Row): string => {
    const decision = texts.get(decisionId(field, row));
    const more = (row.fields ?? []).map((item) => texts.get(fieldId(field, row, item))).filter(Boolean);
    return decision ? `${row.label}: ${decision}${more.length > 0 ? ` (${more.join(", ")})` : ""}` : "";
  };
  const text = (field: Field): string =>
    field.type === "rows"
      ? field.rows
          .map((row) => line(field, row))
          .filter(Boolean)
          .join("; ")
      : (texts.get(field.id) ?? "");
  return new Map(allFields(source).map((field) => [field.id, text(field)]));
}

Object.assign(texts, { flatten, nestAnswer, joinRows });
