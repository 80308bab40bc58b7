import type { InputRequest } from "../../core/generated/wire.ts";
import { css } from "../element.ts";
import { keysOn, readKeys } from "../singlekeys.ts";

/** A key that was meant for what was shown before does nothing to choices that have just appeared. */
const PAUSE_MS = 500;
/** How many choices get a number. */
const MAX_NUMBERED = 9;
const CHOICE_SELECTOR =
  "input:is([type=radio], [type=checkbox]):not(:disabled, [role=switch]), button.choice";
const TEXT_CONTROL_SELECTOR = "textarea, select, input:not([type=radio], [type=checkbox])";
/** On a control Enter does what it does everywhere. */
const CONTROL_SELECTOR = `${TEXT_CONTROL_SELECTOR}, input, button, a, summary`;

const numberStyles = css`
  label :focus-visible {
    outline: none;
  }
  [data-key]::after {
    align-self: start;
    border: 1px solid;
    border-radius: 0.25rem;
    content: attr(data-key) / "";
    font: 600 0.6875rem/1 var(--_mono);
    margin-inline-start: auto;
    opacity: 0.75;
    padding: 0.1875rem 0.25rem;
  }
  .option[data-key]::after {
    margin-block-start: 0.125rem;
  }
  :is(.chip, .choice)[data-key]::after {
    align-self: center;
  }
  .choice[data-key] {
    column-gap: 0.75rem;
    grid-auto-flow: dense;
    grid-template-columns: auto auto;
  }
  .choice > * {
    grid-column: 1;
  }
  .choice::after {
    grid-column: 2;
  }
  :host([data-keyless]) [data-key]::after {
    content: none;
  }
  @media (hover: none) or (width < 30rem) {
    [data-key]::after {
      content: none;
    }
  }
`;

/** The card of a request, as far as its keys need it. */
export interface NumberedCard {
  readonly root: ShadowRoot;
  readonly request: InputRequest | undefined;
  takesFocus?: boolean;
  submit(): void;
}

/** Write the first numbers on what can be chosen, in the order of the page. */
function drawNumbers({ root }: NumberedCard): void {
  root.host.toggleAttribute("data-keyless", !keysOn());
  const choices = [...root.querySelectorAll<HTMLElement>(CHOICE_SELECTOR)];
  const numbered = choices.filter((item) => item.checkVisibility()).slice(0, MAX_NUMBERED);
  for (const item of choices) {
    const key = numbered.includes(item) && `${numbered.indexOf(item) + 1}`;
    const label = item.closest("label") ?? item;
    item.ariaKeyShortcuts = key || null;
    if (key) label.dataset.key = key;
    else delete label.dataset.key;
  }
  // A click on the card gives it the focus, and with it the numbers.
  root.querySelector(".card")?.setAttribute("tabindex", "-1");
}

/** Give the focus to the heading, which a screen reader then reads, unless the person has moved it already. */
function focusAfter(card: NumberedCard): void {
  const { root } = card;
  const heading =
    root.querySelector<HTMLElement>("#title, legend") ?? root.querySelector<HTMLElement>("[role=group].card");
  if (!card.takesFocus || !heading) return;
  card.takesFocus = false;
  const rootNode = root.host.getRootNode() as Document | ShadowRoot;
  const isInside = rootNode.activeElement !== root.host && rootNode.activeElement?.contains(root.host);
  const isFirst = document.activeElement === document.body;
  if (!isFirst && !isInside) return;
  heading.tabIndex = -1;
  // On a page that was just opened a ring would only frame the title.
  heading.focus({ preventScroll: true, ...(isFirst && { focusVisible: false }) });
}

/** Let the numbers 1 to 9 choose an option, and Enter send, while the card has the focus (J3). */
export function numberChoices(card: NumberedCard): void {
  const { root } = card;
  readKeys();
  const startedAt = performance.now();
  root.adoptedStyleSheets.push(numberStyles);
  const follow = (): void => {
    drawNumbers(card);
    focusAfter(card);
  };
  new MutationObserver(follow).observe(root, { childList: true, subtree: true });
  follow();
  root.addEventListener("keydown", (event) => {
    const { key, target, ctrlKey, metaKey, altKey, defaultPrevented, isComposing, repeat } =
      event as KeyboardEvent;
    const element = target as Element;
    if (ctrlKey || metaKey || altKey || defaultPrevented || isComposing || repeat) return;
    if (performance.now() - startedAt < PAUSE_MS) return;
    if (key === "Enter" && card.request?.form && !element.matches(CONTROL_SELECTOR)) card.submit();
    if (!/^[1-9]$/.test(key) || !keysOn() || element.matches(TEXT_CONTROL_SELECTOR)) return;
    const choice = root.querySelector<HTMLElement>(`[aria-keyshortcuts="${key}"]`);
    choice?.focus();
    choice?.click();
    if (choice) event.preventDefault();
  });
}
