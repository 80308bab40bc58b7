/**
 * Templates: `html` says what there is to see, `render` makes it so and changes only what differs.
 *
 * A hole is a whole attribute (`id=${…}`), a property (`.value=${…}`, `.onclick=${…}`) or a child. `false`, `null`
 * and `undefined` are nothing: no attribute, no child. A child is text, a template, a node, or a list of children;
 * text stays text. Only the constant parts of a template are ever parsed, under the policy `askback`; what has come over
 * the wire is no instance of `Template`, whatever it looks like.
 */
export class Template {
  constructor(
    readonly strings: readonly string[],
    readonly values: readonly unknown[] = [],
  ) {}
}

type Update = (value: unknown) => void;

/** Stands for a hole in the parsed markup: the value of an attribute, or the text of a comment. */
const PLACEHOLDER = "{}";

interface Policy {
  createHTML(text: string): string;
}
const { trustedTypes } = globalThis as {
  trustedTypes?: { createPolicy(name: string, policy: Policy): Policy };
};
const identityPolicy: Policy = { createHTML: (text) => text };
const policy = trustedTypes?.createPolicy("askback", identityPolicy) ?? identityPolicy;

const fragments = new Map<readonly string[], DocumentFragment>();
const updates = new WeakMap<ParentNode, Update>();
/** A list of n children is a template of n holes. */
const listStrings: string[][] = [];

export const html = (strings: TemplateStringsArray, ...values: unknown[]) => new Template(strings, values);

/** Draw into `place`, after what it holds already; drawing again changes what was drawn. */
export function render(value: unknown, parent: ParentNode): void {
  let update = updates.get(parent);
  if (!update) {
    const mark = new Comment();
    parent.append(mark);
    update = makeUpdate(mark);
    updates.set(parent, update);
  }
  update(value);
}

/** Put an element before another; where the browser can, one that is shown already keeps its focus on the way. */
export const move = (element: Element, parent: ParentNode, before: Node | null) =>
  parent[element.isConnected && "moveBefore" in parent ? "moveBefore" : "insertBefore"](element, before);

function templateOf(value: unknown): Template | false {
  if (!Array.isArray(value)) return value instanceof Template && value;
  const strings = listStrings[value.length] ?? Array<string>(value.length + 1).fill("");
  listStrings[value.length] = strings;
  return new Template(strings, value);
}

/** A place for a child, right before `end`: a text, which is empty before a node or the content of a template. */
function makeUpdate(end: Comment): Update {
  const start = new Text();
  end.before(start);
  let current: unknown;
  let updates: Update[] = [];
  return (value) => {
    const template = templateOf(value);
    const next = template ? template.strings : value;
    if (next !== current) {
      current = next;
      while (start.nextSibling !== end) start.nextSibling?.remove();
      start.data =
        template || value instanceof Element || value == null || value === false ? "" : String(value);
      if (template) {
        const content = document.importNode(contentOf(template.strings), true);
        updates = updatesOf(content);
        end.before(content);
      } else if (value instanceof Element) move(value, end.parentNode as ParentNode, end);
    }
    if (template) for (const [index, update] of updates.entries()) update(template.values[index]);
  };
}

function contentOf(strings: readonly string[]): DocumentFragment {
  let content = fragments.get(strings);
  if (!content) {
    const templateElement = document.createElement("template");
    const text = strings.reduce(
      (all, part) => all + (all.endsWith("=") ? PLACEHOLDER : `<!--${PLACEHOLDER}-->`) + part,
    );
    templateElement.innerHTML = policy.createHTML(text);
    content = templateElement.content;
    fragments.set(strings, content);
  }
  return content;
}

function updatesOf(content: DocumentFragment): Update[] {
  const updates: Update[] = [];
  const walker = document.createTreeWalker(content);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node instanceof Comment) {
      if (node.data === PLACEHOLDER) updates.push(makeUpdate(node));
    } else if (node instanceof Element)
      for (const { name, value } of [...node.attributes])
        if (value === PLACEHOLDER) updates.push(attribute(node, name));
  }
  return updates;
}

function attribute(element: Element, name: string): Update {
  let lastValue: unknown;
  element.removeAttribute(name);
  return (value) => {
    if (value === lastValue) return;
    lastValue = value;
    if (name.startsWith(".")) Object.assign(element, { [name.slice(1)]: value });
    else if (value == null || value === false) element.removeAttribute(name);
    else element.setAttribute(name, String(value));
  };
}
