/** What a conversation without a title is called. */

/** Parts of ids that programs make, such as a UUID: nobody knows a conversation by them. */
const GENERATED_ID = /[0-9a-f]{8}|[0-9a-z]{20}/i;

/** Return the title of a conversation; without one its id, if that is readable; otherwise an empty text. */
export const titleOrId = (id: string, title?: string | null): string =>
  title || (GENERATED_ID.test(id) ? "" : id);
