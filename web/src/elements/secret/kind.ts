import texts from "../../../../src/askback/messages/en.json?secret&texts" with { type: "json" };
import type { InputRequest, SavedScopes, SecretScope, ShownSecret } from "../../core/generated/wire.ts";
import { isOpen } from "../../core/machine.ts";
import { addTexts } from "../../core/messages.ts";
import { isWithin } from "../../core/path.ts";
import { nearestScope } from "../../core/secret.ts";
import type { Template } from "../html.ts";
import type { Card, ErrorTarget, Host, Kind } from "../kind.ts";
import type { SettledRequest } from "../receipt/settled.ts";
import { drawCard } from "./card.ts";
import { EMPTY_SLOT, pathOf, type SecretContext, type Slot, uidOf } from "./context.ts";
import { Inputs } from "./inputs.ts";
import { drawSecretReceipt } from "./receipt.ts";
import { secretStyles } from "./secret.css.ts";
import { SensitiveForm } from "./sensitive.ts";

addTexts(texts);

interface SecretBody {
  readonly revision: number;
  readonly secrets: Record<string, string>;
  readonly use_existing: string[];
  readonly scope: SecretScope;
}

/** Names that an agent needs values for: what the person types is sent to the server, and to nowhere else. */
export class SecretKind implements Kind, SecretContext {
  scope: SecretScope = "session";
  #slots: ReadonlyMap<string, Slot> | undefined;
  #request: InputRequest | undefined;
  /** The locations of saved values that the agent does not know; read once. */
  #saved: Promise<void> | undefined;
  #present: ShownSecret["present"];
  #tried = false;
  /** Makes the body, the same each time, as long as the person changes nothing. */
  #makeBody: (() => SecretBody) | undefined;
  readonly #inputs: Inputs;

  constructor(readonly host: Host) {
    host.root.adoptedStyleSheets.push(secretStyles);
    this.#inputs = new Inputs(host.root, () => this.#forget());
  }

  adopt(request: InputRequest): void {
    this.#request = request;
    const { secret, status } = request;
    if (secret && !this.#slots) {
      this.scope = secret.default_scope ?? "session";
      this.#slots = new Map(
        secret.names.map((name) => [
          name,
          { ...EMPTY_SLOT, isSaved: nearestScope(secret, name) !== undefined },
        ]),
      );
    }
    if (secret && !secret.count && isOpen(this.host.view)) this.#saved ??= this.#loadSavedValues(request.id);
    if (status === "resolving") this.#forget();
    else if (status !== "pending") this.#inputs.end();
  }

  /** If the saved values cannot be read, the card asks for all of them. */
  async #loadSavedValues(id: string): Promise<void> {
    const path = `/v1/requests/${encodeURIComponent(id)}/saved`;
    const reply = await this.host.client?.get?.<SavedScopes>(path).catch(() => undefined);
    if (!reply?.saved) return;
    if (this.host.view.phase === "submitting") {
      // What is being sent does not change; if it is not accepted, the saved values are read again.
      this.#saved = undefined;
      return;
    }
    this.#present = reply.saved;
    for (const [name, { isSaved }] of this.#slots ?? [])
      if (!isSaved && Object.hasOwn(reply.saved, name) && !this.#isStarted(uidOf(name)))
        this.change(name, { isSaved: true });
    this.host.redraw();
  }

  #isStarted(uid: string): boolean {
    return this.#inputs.read(uid) !== "" || this.host.root.activeElement?.id === uid;
  }

  /** Whether the saved values are used for all names: nothing is typed. */
  get isReused(): boolean {
    return [...(this.#slots?.values() ?? [])].every(({ isSaved }) => isSaved);
  }

  /** Empty the inputs, and what was said about them. */
  #forget(): void {
    this.#inputs.clear();
    this.#makeBody = undefined;
    this.#slots =
      this.#slots &&
      new Map([...this.#slots].map(([name, { isSaved }]) => [name, { ...EMPTY_SLOT, isSaved }]));
    this.host.redraw();
  }

  drawOpen(request: InputRequest, card: Card): Template {
    const { secret } = request;
    const shown = secret && this.#present ? { ...secret, present: this.#present } : secret;
    return card(drawCard(this, shown ? { ...request, secret: shown } : request));
  }

  drawSettled(settled: SettledRequest): Template | undefined {
    return drawSecretReceipt(settled);
  }

  /** After a failed attempt the focus returns to the question, unless the person has moved on. */
  afterDraw({ status }: InputRequest): void {
    const again = this.#tried && status === "pending";
    this.#tried = status === "resolving";
    const { activeElement } = document;
    if (again && (activeElement === document.body || activeElement === this.host.root.host))
      this.host.focusOn("#problems");
  }

  slotOf(name: string): Slot {
    return this.#slots?.get(name) ?? EMPTY_SLOT;
  }

  change(name: string, patch: Partial<Slot> = {}): void {
    this.#slots = new Map(this.#slots).set(name, { ...this.slotOf(name), ...patch });
    this.#makeBody = undefined;
    this.host.clearError(pathOf(name));
  }

  choose(scope: SecretScope): void {
    this.scope = scope;
    this.#makeBody = undefined;
    this.host.redraw();
  }

  dismiss(): void {
    this.host.send("decline", { reason: "dismissed" });
  }

  /** Only the server reads the value, so only the server decides whether it is blank, too long or unexpected. */
  submit(): void {
    const request = this.#request;
    if (!request) return;
    const scope = this.#scopeOf(request);
    this.#makeBody ??= () => this.#body(request, scope);
    const { secrets, ...publicBody } = this.#makeBody();
    this.host.send("answer", { ...publicBody, names: Object.keys(secrets) }, this.#makeBody);
  }

  #body({ revision, secret }: InputRequest, scope: SecretScope): SecretBody {
    const names = secret?.names ?? [];
    const isSaved = (name: string): boolean => this.slotOf(name).isSaved;
    const typed = names
      .filter((name) => !isSaved(name))
      .map((name) => [name, this.#inputs.read(uidOf(name))]);
    return {
      revision,
      secrets: Object.fromEntries(typed.filter(([, value]) => value)),
      use_existing: names.filter(isSaved),
      scope,
    };
  }

  /** If nothing is typed, the scope is that of the saved value. */
  #scopeOf({ secret }: InputRequest): SecretScope {
    const shown = secret && { ...secret, present: this.#present ?? secret.present };
    return (this.isReused && shown && nearestScope(shown, shown.names[0] ?? "")) || this.scope;
  }

  /** A key that was meant for something else answers nothing. */
  escape(): void {}

  errorTarget(path: string): ErrorTarget | undefined {
    const names = this.#request?.secret?.names ?? [];
    const name = names.find((item) => isWithin(path, pathOf(item)));
    return name === undefined
      ? undefined
      : { path: pathOf(name), label: names.length > 1 && name, go: () => this.#goTo(name) };
  }

  #goTo(name: string): void {
    if (this.slotOf(name).foldedSize) this.change(name, { foldedSize: null });
    this.host.focusOn(`#${uidOf(name)}${this.slotOf(name).isSaved ? "-saved" : ""}`);
  }

  /** Typed values are not shown again. */
  unsentText(): string {
    return "";
  }
}

export const kinds = { secret: SecretKind, sensitive: SensitiveForm };
