/** The parts of a catalogue that `scripts/slim.ts` leaves for what is fetched on demand. */
declare module "*.json?approval" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?shape" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?secret" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?reader" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?composer" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?drafts" {
  const texts: Record<string, string>;
  export default texts;
}
