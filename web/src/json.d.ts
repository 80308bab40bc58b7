/** The part of a catalogue that `scripts/slim.ts` leaves for approvals. */
declare module "*.json?approval" {
  const texts: Record<string, string>;
  export default texts;
}
