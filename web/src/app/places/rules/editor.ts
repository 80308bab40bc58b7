import { WireError } from "../../../client/errors.ts";
import { newKey } from "../../../client/key.ts";
import type { PastCall, Rule, RuleBody, RulePreview, RuleTrial } from "../../../core/generated/wire.ts";
import { escapeText } from "../../../elements/approval/escapes.ts";
import { drawSentence, sentences } from "../../../elements/approval/reasons.ts";
import { html, type Template } from "../../../elements/html.ts";
import { momentText } from "../../../elements/text.ts";
import { pathOf } from "../../router.ts";
import type { Host } from "./host.ts";
import { describeTrial, drawRule, EFFECTS, type Effect } from "./words.ts";

/** How long nothing is typed before a draft is tried. */
const PAUSE_MS = 250;
const HOUR_S = 3_600;
const LIFETIMES_S = { hour: HOUR_S, day: 24 * HOUR_S, week: 7 * 24 * HOUR_S, month: 30 * 24 * HOUR_S };

const EMPTY_DRAFT = {
  rule: "",
  effect: "allow" as Effect,
  scope: "always" as RuleBody["scope"],
  subject: "",
  agent: "",
  why: "",
  lasts: "",
  locked: false,
  shadow: false,
  script_may_change: false,
  call: "",
};
type Draft = typeof EMPTY_DRAFT;

/** The dialog in which a rule is drafted: tried while it is typed, on a call and on those of the last 30 days. */
export class Editor {
  #draft: Draft | undefined;
  #isTrying = false;
  #trial: RuleTrial | undefined;
  #calls: readonly PastCall[] = [];
  #preview: RulePreview | undefined;
  #checkNumber = 0;
  #busy = false;
  #failure = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts the drafts, so that a reply to an earlier one is dropped. */
  #changeCount = 0;

  constructor(private readonly place: Host) {}

  /** Open a blank draft; with `trying` only the call is asked for at first. */
  open(isTrial = false): void {
    this.#draft = { ...EMPTY_DRAFT };
    this.#isTrying = isTrial;
    this.#forget();
    this.place.redraw();
  }

  close(): void {
    this.#draft = undefined;
    this.#forget();
    clearTimeout(this.#timer);
    this.place.redraw();
  }

  /** Ask for a rule too, with the call that was tried. */
  #addRule(): void {
    this.#isTrying = false;
    this.place.focusOn("#rule");
  }

  #forget(): void {
    this.#changeCount += 1;
    this.#trial = undefined;
    this.#failure = "";
    this.#forgetCalls();
  }

  #forgetCalls(): void {
    this.#preview = undefined;
    this.#calls = [];
    this.#checkNumber = 0;
  }

  #change(change: Partial<Draft>): void {
    if (!this.#draft) return;
    this.#draft = { ...this.#draft, ...change };
    this.#failure = "";
    this.#changeCount += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#runTrial(), PAUSE_MS);
    this.place.redraw();
  }

  /** The draft as the server reads it. */
  get #body(): RuleBody {
    const { rule, effect, scope, subject, agent, why, lasts, locked, shadow, script_may_change } = this
      .#draft as Draft;
    return {
      rule,
      effect,
      scope,
      ...(scope === "thread" && { thread_id: subject }),
      ...(scope === "project" && { project: subject }),
      ...(agent && { agent }),
      ...(why.trim() && { why: why.trim() }),
      ...(lasts && { expires_in_s: LIFETIMES_S[lasts as keyof typeof LIFETIMES_S] }),
      ...(locked && effect !== "allow" && { locked }),
      shadow,
      script_may_change,
    };
  }

  async #runTrial(): Promise<void> {
    const { client } = this.place.app;
    const changeCount = this.#changeCount;
    const draft = this.#draft;
    const body = draft?.rule.trim() ? this.#body : null;
    const call = draft?.call.trim() ? { tool: "bash", input: { command: draft.call } } : null;
    this.#forgetCalls();
    if (!body && !call) {
      this.#trial = undefined;
      this.place.redraw();
      return;
    }
    try {
      const trial = await client.post<RuleTrial>("/v1/rules/try", { rule: body, call }, newKey());
      if (changeCount !== this.#changeCount) return;
      this.#trial = trial;
      this.place.redraw();
      if (trial.rule) await this.#findCalls(changeCount);
    } catch (error) {
      if (changeCount === this.#changeCount) this.#fail(error);
    }
  }

  /** Check the next page of past calls. */
  async #findCalls(changeCount = this.#changeCount): Promise<void> {
    const body = { rule: this.#body, cursor: this.#preview?.next_cursor ?? null };
    try {
      const page = await this.place.app.client.post<RulePreview>("/v1/rules/preview", body, newKey());
      if (changeCount !== this.#changeCount) return;
      this.#preview = page;
      this.#calls = [...this.#calls, ...page.calls];
      this.#checkNumber += page.checked;
      this.place.redraw();
    } catch (error) {
      if (changeCount === this.#changeCount) this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure =
      error instanceof WireError && error.status ? error.message : this.place.getText("app.failed_hint");
    this.place.redraw();
  }

  async #add(event: Event): Promise<void> {
    event.preventDefault();
    if (this.#busy || !this.#trial?.rule) return;
    this.#busy = true;
    this.place.redraw();
    try {
      const rule = await this.place.app.client.post<Rule>("/v1/rules", this.#body, newKey());
      this.#busy = false;
      this.close();
      this.place.app.toast({ text: this.place.getText("rules.added", { rule: rule.rule }) });
      await this.place.load();
    } catch (error) {
      this.#busy = false;
      this.#fail(error);
    }
  }

  #drawTrial(): Template | false {
    const { getText, locale } = this.place;
    const trial = this.#trial;
    if (!trial) return false;
    const { problems = [], rule, description, why, why_codes, now } = trial;
    const reasons =
      trial.covers === false
        ? sentences(why, why_codes, locale)
        : sentences(now?.reasons, now?.reason_codes, locale);
    return html`
      ${problems.map(({ message }) => html`<p class="problem">${escapeText(message)}</p>`)}
      ${rule && html`<p>${getText("rules.means")} ${drawRule(rule, description, (this.#draft as Draft).effect, getText)}</p>`}
      ${now && html`<p class="verdict">${describeTrial(trial, getText)}</p>`}
      ${now && reasons.map((reason) => html`<p class="muted">${drawSentence(reason)}</p>`)}`;
  }

  #drawCalls(): Template | false {
    const { getText, locale } = this.place;
    const preview = this.#preview;
    if (!preview || !this.#trial?.rule) return false;
    const effect = (this.#draft as Draft).effect;
    const count = this.#calls.length;
    const backButton = preview.next_cursor
      ? getText("rules.checked_to", {
          checked: this.#checkNumber,
          moment: momentText(preview.checked_to, locale),
        })
      : getText("rules.checked_all", { checked: this.#checkNumber });
    return html`<h3>${getText(`rules.would_${effect}`, { count })}</h3>
      <p class="muted">${backButton}</p>
      <ul class="calls">${this.#calls.map(
        (call) => html`<li>
          <a href=${pathOf("inbox", call.request_id)} target="_blank"><code dir="ltr">${escapeText(call.headline)}</code></a>
          <span class="muted">${call.agent.name} · <askback-time at=${call.created_at} look="long"></askback-time>${
            call.decision && html` · ${getText(`rules.was_${call.decision}`)}`
          }</span>
        </li>`,
      )}</ul>
      ${preview.next_cursor && html`<button type="button" .onclick=${() => void this.#findCalls()}>${getText("rules.check_older")}</button>`}`;
  }

  #drawSubject({ scope, subject }: Draft): Template | false {
    const label = this.place.getText(scope === "thread" ? "rules.thread_id" : "rules.project");
    return (
      scope !== "always" &&
      html`<label>${label}<input type="text" dir="ltr" .value=${subject} .oninput=${(event: Event) => this.#change({ subject: (event.target as HTMLInputElement).value })} /></label>`
    );
  }

  #drawCheckboxes(draft: Draft): Template {
    const { getText, isAdmin } = this.place;
    const needsConsent =
      draft.script_may_change || this.#trial?.problems?.some(({ code }) => code === "script_may_change");
    const checkbox = (name: "locked" | "shadow" | "script_may_change") =>
      html`<label class="tick"><input type="checkbox" .checked=${draft[name]} .onchange=${(event: Event) => this.#change({ [name]: (event.target as HTMLInputElement).checked })} />
        <span>${getText(`rules.${name}`)} <span class="muted">${getText(`rules.${name}_hint`)}</span></span></label>`;
    return html`${needsConsent && checkbox("script_may_change")}
      ${isAdmin && draft.effect !== "allow" && checkbox("locked")}
      ${checkbox("shadow")}`;
  }

  #drawChoice(
    name: "effect" | "scope" | "agent" | "lasts",
    label: string,
    options: [string, string][],
  ): Template {
    const selected = (this.#draft as Draft)[name];
    const onchange = (event: Event): void =>
      this.#change({ [name]: (event.target as HTMLSelectElement).value });
    return html`<label>${label}<select name=${name} .onchange=${onchange}>
      ${options.map(([id, text]) => html`<option value=${id} .selected=${id === selected}>${text}</option>`)}
    </select></label>`;
  }

  draw(): Template | false {
    const draft = this.#draft;
    if (!draft) return false;
    const { getText, agents } = this.place;
    const optionsOf = (names: readonly string[]): [string, string][] =>
      names.map((id) => [id, getText(`rules.${id}`)]);
    const set = (name: "rule" | "call" | "why") => (event: Event) =>
      this.#change({ [name]: (event.target as HTMLInputElement).value });
    const call = html`<label>${getText("rules.try_on")}<input id="call" type="text" autofocus=${this.#isTrying} dir="ltr" class="code" autocomplete="off" spellcheck="false" aria-describedby="trial" placeholder="make test" .value=${draft.call} .oninput=${set("call")} /></label>
      <div id="trial" role="status">${this.#drawTrial()}</div>`;
    const failure = this.#failure && html`<p class="problem" role="alert">${escapeText(this.#failure)}</p>`;
    if (this.#isTrying)
      return html`<askback-modal heading=${getText("rules.try")} .onclose=${() => this.close()}>
        <form class="editor" .onsubmit=${(event: Event) => event.preventDefault()}>
          ${call}
          ${failure}
          <div class="actions end">
            <button type="button" .onclick=${() => this.#addRule()}>${getText("rules.add")}</button>
            <button type="button" .onclick=${() => this.close()}>${getText("app.close")}</button>
          </div>
        </form>
      </askback-modal>`;
    return html`<askback-modal heading=${getText("rules.new")} .onclose=${() => this.close()}>
      <form class="editor" .onsubmit=${(event: Event) => void this.#add(event)}>
        <label>${getText("rules.rule")}<input id="rule" type="text" autofocus dir="ltr" class="code" autocomplete="off" spellcheck="false" aria-describedby="trial" .value=${draft.rule} .oninput=${set("rule")} /></label>
        <p class="muted">${getText("rules.examples")} <code dir="ltr">git status</code>, <code dir="ltr">npm test:*</code>, <code dir="ltr">write_file(path=src/**)</code></p>
        <div class="fields">
          ${this.#drawChoice("effect", getText("rules.decides"), optionsOf(EFFECTS))}
          ${this.#drawChoice("scope", getText("rules.where"), optionsOf(["always", "project", "thread"]))}
          ${this.#drawSubject(draft)}
          ${this.#drawChoice("agent", getText("rules.agent"), [["", getText("rules.every_agent")], ...agents.map(({ id, name }): [string, string] => [id, name])])}
          ${this.#drawChoice("lasts", getText("rules.lasts"), [["", getText("rules.lasts_always")], ...Object.keys(LIFETIMES_S).map((id): [string, string] => [id, getText(`rules.lasts_${id}`)])])}
        </div>
        ${this.#drawCheckboxes(draft)}
        <label>${getText("rules.why")}<input type="text" .value=${draft.why} .oninput=${set("why")} /></label>
        ${call}
        <section aria-label=${getText("rules.past")}>${this.#drawCalls()}</section>
        ${failure}
        <div class="actions end">
          <button type="button" .onclick=${() => this.close()}>${getText("app.cancel")}</button>
          <button type="submit" class="primary" aria-disabled=${this.#busy || !this.#trial?.rule}>${getText("rules.add")}</button>
        </div>
      </form>
    </askback-modal>`;
  }
}
