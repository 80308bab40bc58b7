/** This computer, as a browser names it: it has read decimal, octal, hexadecimal and short addresses by then. */
const LOCAL =
  /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::(?:ffff:)?(?:7f..:[\da-f]{1,4}|0?:0)\])$/;

/** The host and port of an address that leads to the reader's own computer; empty for any other. */
export function localHost(href: string): string {
  if (!URL.canParse(href)) return "";
  const { hostname, host } = new URL(href);
  return LOCAL.test(hostname) ? host : "";
}
