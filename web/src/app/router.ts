/** Which place an address shows. */

import type { PlaceEntry } from "./place.ts";

export interface Route {
  /** Undefined for an address that no place has. */
  readonly place: PlaceEntry | undefined;
  /** The rest of the path: the id of what is open, empty without one. */
  readonly item: string;
  readonly query: URLSearchParams;
}

/** Return what a URL of this origin shows, among the places that this person may see. */
export function match(url: URL, places: readonly PlaceEntry[]): Route {
  const [, name = "", item = "", ...rest] = url.pathname.split("/");
  const place = rest.length > 0 ? undefined : places.find((item) => item.name === (name || "inbox"));
  return { place, item: decode(item), query: url.searchParams };
}

/** The path of a place, or of one thing in it. */
export const pathOf = (name: string, item = ""): string => {
  if (item) return `/${name}/${encodeURIComponent(item)}`;
  return name === "inbox" ? "/" : `/${name}`;
};

/** Return the address that a click leads to within the application; undefined if the browser shall follow it. */
export function addressOf(event: MouseEvent, places: readonly PlaceEntry[]): URL | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = event.composedPath().find((item) => item instanceof HTMLAnchorElement && item.href);
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return undefined;
  const url = new URL(link.href);
  const isHere = url.origin === location.origin && !url.hash;
  return isHere && match(url, places).place ? url : undefined;
}

/** A path with the language that the address asks for, which a reload must not forget. */
export function withLanguage(path: string): string {
  const lang = location.search && new URLSearchParams(location.search).get("lang");
  if (!lang) return path;
  const { pathname, searchParams } = new URL(path, location.origin);
  if (!searchParams.has("lang")) searchParams.set("lang", lang);
  return `${pathname}?${searchParams}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
