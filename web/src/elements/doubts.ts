import type { Form, Values } from "../core/wire.ts";
import type { Say } from "./text.ts";

/** Asks about values that look like secrets in fields for everybody to read. */
type Doubt = (form: Form, values: Values, say: Say) => string[];

/** What asks puts itself here once it is fetched, while the first text is typed; without it nothing is asked. */
export const doubts: Doubt[] = [];

export const fetchDoubts = (): Promise<unknown> => import("./shape/doubt.ts").catch(() => {});
