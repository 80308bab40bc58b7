/** The parts of a catalogue that `scripts/slim.ts` leaves for what is fetched on demand. */
declare module "*.json?app" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?request" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?mcp" {
  const texts: Record<string, string>;
  export default texts;
}
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
declare module "*.json?chat" {
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
declare module "*.json?place=rules" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?place=audit" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?place=inbox" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?place=agents" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?place=conversations" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?place=history" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?place=secrets" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?place=settings" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?revised" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?declining" {
  const texts: Record<string, string>;
  export default texts;
}
declare module "*.json?timezone" {
  const texts: Record<string, string>;
  export default texts;
}
