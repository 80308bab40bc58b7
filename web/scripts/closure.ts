/** Return something and all that it leads to, in turn. */
export function closure(
  start: string,
  next: (each: string) => readonly string[],
  visited = new Set<string>(),
): Set<string> {
  if (visited.has(start)) return visited;
  visited.add(start);
  for (const each of next(start)) closure(each, next, visited);
  return visited;
}
