import { hasText, type Locale, negotiate, translate } from "../core/messages.ts";

/** A sentence of the interface, by its key without `ui.`, in the language of the element; an unknown key is an error of the console. */
export type GetText = (key: string, params?: Record<string, unknown>) => string;

/** The first that `matches` of an element and those around it, beyond the edges of shadow trees. */
export function closestTo(element: Element, matches: (element: Element) => unknown): Element | null {
  let node: Element | null = element;
  while (node && !matches(node)) {
    const root: Node = node.getRootNode();
    node = node.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
  }
  return node;
}

/** The nearest `lang` attribute. */
export const declaredBy = (element: Element): string | null | undefined =>
  closestTo(element, (node) => node.getAttribute("lang"))?.getAttribute("lang");

/** The language to show: that of the nearest `lang` attribute, else the browser's, else English. */
export function localeOf(element: Element): Locale {
  const declaredLocale = declaredBy(element);
  return negotiate(declaredLocale ? [declaredLocale] : navigator.languages);
}

export const getTextIn =
  (locale: Locale): GetText =>
  (name, params = {}) => {
    const key = `ui.${name}`;
    if (!hasText(key, locale)) console.error(`no text ${key}`);
    return translate(key, params, locale);
  };

/** The reader's own variant of a language, such as en-GB for en: they write dates differently. */
export const variantOf = (locale: string): string =>
  navigator.languages.find((tag) => tag.toLowerCase().startsWith(locale)) ?? locale;

const MINUTE_MS = 60_000;

/** How long it is until a moment, in words; nothing for one that has passed or is more than a month away. */
export function timeLeft(iso: string, now: number, locale: string): string {
  const minutes = (Date.parse(iso) - now) / MINUTE_MS;
  if (!(minutes > 0 && minutes < 31 * 1440)) return "";
  const [count, unit] =
    minutes < 2
      ? ([minutes * 60, "second"] as const)
      : minutes < 60
        ? ([minutes, "minute"] as const)
        : minutes < 48 * 60
          ? ([minutes / 60, "hour"] as const)
          : ([minutes / 1440, "day"] as const);
  return new Intl.RelativeTimeFormat(locale).format(Math.floor(count), unit);
}

/** A moment for people, in their own zone: the time today, the date and time else, the year if it is another one. */
export function momentText(iso: string, locale: string): string {
  const date = new Date(iso);
  const now = new Date();
  const today = date.toDateString() === now.toDateString();
  const year = date.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return date.toLocaleString(variantOf(locale), {
    ...(today ? {} : { year, month: "short", day: "numeric" }),
    hour: "numeric",
    minute: "numeric",
  });
}
