/** The part of a catalogue that `scripts/slim.ts` leaves for what is fetched on demand. */
declare module "*&texts" {
  const texts: Record<string, string>;
  export default texts;
}
