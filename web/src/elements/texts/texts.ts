import { allFields } from "../../core/form.ts";
import type { Form, InputRequest, Messages, RequestView } from "../../core/generated/wire.ts";
import { type Fault, negotiate } from "../../core/messages.ts";
import { isWithin, join, valuePath } from "../../core/path.ts";
import { chooseLanguage, type LocalText } from "../../core/texts.ts";
import type { Host } from "../kind.ts";
import { texts } from "../localtexts.ts";
import { declaredBy } from "../text.ts";

/** The keys of texts of an asker; `messages` is an object of them. */
const TEXTS = new Set(
  "title description label placeholder submit_label cancel_label accept_label decline_label pattern_message summary_template reason instructions format_hint".split(
    " ",
  ),
);
/** The most languages of a reader that the server accepts. */
const MAX_CACHED = 20;
/** Members that hold values, whose keys are arbitrary. */
const VALUES = new Set(["initial_values", "default"]);

type Json = Record<string, unknown>;
type Markdown = NonNullable<RequestView["markdown"]>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The source of a localized request, and its languages. */
const localizedRequests = new WeakMap<InputRequest, { source: InputRequest; languages: string }>();

/**
 * The languages of the reader: those of the browser, after the language of the page where that is another.
 *
 * A page of ours declares the language of its own words, which may be the third choice of somebody who reads French.
 */
function languagesOf(element: Element = document.documentElement): readonly string[] {
  const declaredLanguage = declaredBy(element);
  const { languages } = navigator;
  return declaredLanguage && declaredLanguage !== negotiate(languages)
    ? [declaredLanguage, ...languages]
    : languages;
}

/** A request with one language of each text, and the Markdown trees of that; the same object while that is so. */
export function localize(request: InputRequest, element?: Element): InputRequest {
  const { source, languages } = localizedRequests.get(request) ?? { source: request, languages: "" };
  if (!source.view?.languages) return request;
  const wantedLanguages = languagesOf(element);
  if (languages === wantedLanguages.join()) return request;
  const result = localizedRequest(source, wantedLanguages);
  localizedRequests.set(result, { source, languages: wantedLanguages.join() });
  return result;
}

/** The same for languages that are given. */
export function localizedRequest(source: InputRequest, languages: readonly string[]): InputRequest {
  const markdown: Markdown = { ...source.view?.markdown };
  const pick = (text: LocalText, path: string): string => {
    if (typeof text === "string") return text;
    const tag = chooseLanguage(Object.keys(text), languages);
    const tree = markdown[join(path, tag)];
    if (tree) markdown[path] = tree;
    return text[tag] ?? "";
  };
  const visit = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => visit(item, join(path, index)));
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([key, member]): [string, unknown] => {
      if (VALUES.has(key)) return [key, member];
      const memberPath = join(path, key);
      if (TEXTS.has(key) && isObject(member))
        return [key, pick(member as Record<string, string>, memberPath)];
      return [
        key,
        key === "messages" && isObject(member) ? messages(member, memberPath) : visit(member, memberPath),
      ];
    });
    return Object.fromEntries(members);
  };
  const messages = (ownMessages: Json, path: string): Json =>
    Object.fromEntries(
      Object.entries(ownMessages).map(([rule, text]) => [rule, pick(text as LocalText, path)]),
    );
  const { form, secret, approval, action } = source;
  const { title, reason } = approval ?? {};
  return {
    ...source,
    ...(form && { form: visit(form, "form") as Form }),
    ...(secret && { secret: visit(secret, "secret") as typeof secret }),
    ...(action && { action: visit(action, "action") as typeof action }),
    ...(approval && {
      approval: {
        ...approval,
        ...(title && { title: pick(title, "approval.title") }),
        ...(reason && { reason: pick(reason, "approval.reason") }),
      },
    }),
    view: { ...source.view, markdown },
  };
}

/** The languages that are sent with an answer, so that the server knows which texts the person saw. */
export const answerLanguages = (action: string, element: Element & Pick<Host, "view">) =>
  action === "answer" && element.view.request?.view?.languages
    ? { languages: languagesOf(element).slice(0, MAX_CACHED) }
    : {};

/** The rule of a field that a fault breaks, by the code of the fault. */
const RULES: Partial<Record<string, keyof Messages>> = {
  required_missing: "required",
  wrong_type: "type",
  number_too_large: "type",
  invalid_date: "type",
  below_min: "min",
  above_max: "max",
  step_mismatch: "step",
  pattern_mismatch: "pattern",
  too_short: "min_length",
  too_long: "max_length",
  too_few: "min_choices",
  too_many: "max_choices",
};

/** The field's own message for a fault. */
export function ownMessage(form: Form, { path, key }: Fault): string | null | undefined {
  const field = allFields(form).find(({ id }) => isWithin(path, valuePath(id)));
  const rule = RULES[key.split(".")[0] ?? ""];
  return rule && field?.messages?.[rule];
}

Object.assign(texts, { localize, ownMessage, answerLanguages });

/** The kind of a request stays as it is: its texts are chosen before it sees them. */
export const mixins = { texts: <T>(Inner: T): T => Inner };
