/** The parts of a catalogue that `scripts/slim.ts` leaves for what is fetched on demand. */
declare module "*.json?package" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?action" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?approval" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?shape" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?rules" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?secret" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?files" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?sources" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?choices" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?reader" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?answering" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?call" {
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
declare module "*.json?markdown" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?receipt" {
  const texts: Record<string, string>;
  export default texts;
}
