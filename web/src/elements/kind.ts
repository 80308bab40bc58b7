import type { Person } from "../core/audience.ts";
import type { FieldError, InputRequest } from "../core/generated/wire.ts";
import type { View } from "../core/machine.ts";
import type { Locale } from "../core/messages.ts";
import type { Action, Body } from "./events.ts";
import type { Template } from "./html.ts";
import type { SettledRequest } from "./receipt/settled.ts";
import type { GetText } from "./text.ts";

/** The methods that the elements send with; `Client` has them. Without `whoami` the signed-in person is unknown. */
export interface Sender {
  send(id: string, action: Action, body: unknown, key: string): Promise<InputRequest>;
  get?<T>(path: string): Promise<T>;
  post?<T>(path: string, body: unknown, key: string): Promise<T>;
  /** The second half of the session, for calls that it cannot make itself. */
  sessionKey?(): Promise<string>;
  whoami?(): Promise<{ principal: Person }>;
  /** How the connection is; an event `link` says that it has changed. */
  readonly link?: string;
  /** The time by the server's clock, in milliseconds. */
  readonly now?: number;
  addEventListener?(type: "link", heard: () => void, options?: { once: boolean }): void;
  removeEventListener?(type: "link", heard: () => void): void;
}

/** Makes the body that is sent. */
export type BodyFactory = () => unknown;

/** The part of the request's element that a kind uses. */
export interface Host {
  readonly root: ShadowRoot;
  readonly view: View;
  readonly client: Sender | undefined;
  readonly getText: GetText;
  readonly locale: Locale;
  readonly headingLevel: number | string;
  /** Whether it asks in a dialog. */
  readonly modal: boolean;
  /** The requests among which it has its place, oldest first. */
  readonly around: readonly InputRequest[] | undefined;
  redraw(): void;
  /** After the next drawing, give the focus to the first match. */
  focusOn(selector: string): void;
  /**
   * Send it. Where `body` leaves out what nobody else may see, `whole` makes all of it, at the last moment; the same
   * function as before says that nothing was changed in between.
   */
  send(action: Action, body: Body, makeBody?: BodyFactory): void;
  /** Tell the person why the values are not sent. */
  refuse(errors: readonly FieldError[]): void;
  /** The message for a place of the body, unless the person has changed it since. */
  errorAt(path: string): string | undefined;
  clearError(path: string): void;
}

/** A place that an error can lead to. */
export interface ErrorTarget {
  path: string;
  label?: string | false | undefined;
  go(): void;
}

/** The frame of all kinds: who asks, the problems, and what the kind draws, in the language of `lang`. */
export type Card = (body: unknown, lang?: string | null) => Template;

/** The parts that differ between kinds. The element has the rest: sending, states, problems and the receipt's frame. */
export interface Kind {
  /** The parts that it is made of. */
  parts?: string;
  /** The kind that it wraps. */
  readonly inner?: Kind;
  /** The view has changed; called before it is drawn. */
  adopt(request: InputRequest): void;
  drawOpen(request: InputRequest, card: Card): Template;
  /** The receipt, if it has one of its own for how it ended. */
  drawSettled(settled: SettledRequest): Template | undefined;
  /** After a drawing. */
  afterDraw?(request: InputRequest): void;
  /** Check what was entered and send it. */
  submit(): void;
  /** Escape was pressed on `target`. */
  escape(target: HTMLElement): void;
  errorTarget(path: string): ErrorTarget | undefined;
  /** The entered values that are neither initial values nor the answer, as one line. */
  unsentText(request: InputRequest): string;
}
