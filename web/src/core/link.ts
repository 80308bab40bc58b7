/** Links that an agent may send a person to; the server has the same rule (`domain/links.py`). */

const WEB =
  /^(https?):\/\/([a-z0-9.-]{1,253}|\[[0-9a-f:]{2,39}\])(?::([0-9]{1,5}))?(?:[/?#][!#-;=?-[\]_a-z~]*)?$/i;
const MAIL = /^mailto:([a-z0-9.+_-]{1,64}@([a-z0-9.-]{1,253}))$/i;
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\.?$/;
const OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const ADDRESS = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);
const NUMERIC = /^(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\.?$/;

const isHost = (host: string): boolean => (NUMERIC.test(host) ? ADDRESS : NAME).test(host);

/** Where a link leads, as a person should read it: a host, or an email address; nothing if it is refused. */
export function linkHost(url: string): string | undefined {
  if (url.length > 2000) return undefined;
  const mail = MAIL.exec(url);
  if (mail) return isHost((mail[2] ?? "").toLowerCase()) ? mail[1] : undefined;
  const [, scheme = "", name = "", port] = WEB.exec(url) ?? [];
  const host = name.toLowerCase();
  if (!host.startsWith("[") && !isHost(host)) return undefined;
  if (port && !(Number(port) > 0 && Number(port) <= 65535)) return undefined;
  const defaultPort = { http: "80", https: "443" }[scheme.toLowerCase()];
  return port === undefined || port === defaultPort ? host : `${host}:${port}`;
}
