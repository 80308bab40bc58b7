/** Return a function that makes a formatter once for each language: making one takes longer than drawing a row of a list. */
export function perLocale<T>(make: (locale: string) => T): (locale: string) => T {
  const cached = new Map<string, T>();
  return (locale) => {
    const format = cached.get(locale) ?? make(locale);
    cached.set(locale, format);
    return format;
  };
}
