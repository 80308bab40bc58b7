import { WireError } from "../../../client/errors.ts";
import { newKey } from "../../../client/key.ts";
import type { PastCall, Rule, RuleBody, RulePreview, RuleTrial } from "../../../core/generated/wire.ts";
import { escapeText } from "../../../elements/approval/escapes.ts";
import { sentences } from "../../../elements/approval/reasons.ts";
import { html, type Template } from "../../../elements/html.ts";
import { when } from "../../../elements/text.ts";
import { pathOf } from "../../router.ts";
import type { Host } from "./host.ts";
import { drawRule, EFFECTS, type Effect, verdictOf } from "./words.ts";

/** How long nothing is typed before a draft is tried. */
const PAUSE_MS = 250;
const HOUR_S = 3_600;
const LASTS = { hour: HOUR_S, day: 24 * HOUR_S, week: 7 * 24 * HOUR_S, month: 30 * 24 * HOUR_S };

const BLANK = {
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
type Draft = typeof BLANK;

/** The dialog in which a rule is drafted: tried while it is typed, on a call and on those of the last 30 days. */
export class Editor {
  #draft: Draft | undefined;
  #trying = false;
  #trial: RuleTrial | undefined;
  #calls: readonly PastCall[] = [];
  #preview: RulePreview | undefined;
  #checked = 0;
  #busy = false;
  #failure = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts the drafts, so that a reply to an earlier one is dropped. */
  #turn = 0;

  constructor(private readonly place: Host) {}

  /** Open a blank draft; with `trying` the call to try has the focus. */
  open(trying = false): void {
    this.#draft = { ...BLANK };
    this.#trying = trying;
    this.#forget();
    this.place.redraw();
  }

  close(): void {
    this.#draft = undefined;
    this.#forget();
    clearTimeout(this.#timer);
    this.place.redraw();
  }

  #forget(): void {
    this.#turn += 1;
    this.#trial = undefined;
    this.#failure = "";
    this.#forgetCalls();
  }

  #forgetCalls(): void {
    this.#preview = undefined;
    this.#calls = [];
    this.#checked = 0;
  }

  #change(change: Partial<Draft>): void {
    if (!this.#draft) return;
    this.#draft = { ...this.#draft, ...change };
    this.#failure = "";
    this.#turn += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#try(), PAUSE_MS);
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
      ...(lasts && { expires_in_s: LASTS[lasts as keyof typeof LASTS] }),
      ...(locked && effect !== "allow" && { locked }),
      shadow,
      script_may_change,
    };
  }

  async #try(): Promise<void> {
    const { client } = this.place.app;
    const turn = this.#turn;
    const draft = this.#draft;
    const written = draft?.rule.trim() ? this.#body : null;
    const call = draft?.call.trim() ? { tool: "bash", input: { command: draft.call } } : null;
    this.#forgetCalls();
    if (!written && !call) {
      this.#trial = undefined;
      this.place.redraw();
      return;
    }
    try {
      const trial = await client.post<RuleTrial>("/v1/rules/try", { rule: written, call }, newKey());
      if (turn !== this.#turn) return;
      this.#trial = trial;
      this.place.redraw();
      if (trial.rule) await this.#look(turn);
    } catch (error) {
      if (turn === this.#turn) this.#fail(error);
    }
  }

  /** Check the next page of past calls. */
  async #look(turn = this.#turn): Promise<void> {
    const body = { rule: this.#body, cursor: this.#preview?.next_cursor ?? null };
    try {
      const page = await this.place.app.client.post<RulePreview>("/v1/rules/preview", body, newKey());
      if (turn !== this.#turn) return;
      this.#preview = page;
      this.#calls = [...this.#calls, ...page.calls];
      this.#checked += page.checked;
      this.place.redraw();
    } catch (error) {
      if (turn === this.#turn) this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure =
      error instanceof WireError && error.status ? error.message : this.place.say("app.failed_hint");
    this.place.redraw();
  }

  async #add(event: Event): Promise<void> {
    event.preventDefault();
    if (this.#busy || !this.#draft?.rule.trim()) return;
    this.#busy = true;
    this.place.redraw();
    try {
      const rule = await this.place.app.client.post<Rule>("/v1/rules", this.#body, newKey());
      this.#busy = false;
      this.close();
      this.place.app.toast({ text: this.place.say("rules.added", { rule: rule.rule }) });
      await this.place.load();
    } catch (error) {
      this.#busy = false;
      this.#fail(error);
    }
  }

  #drawTrial(): Template | false {
    const { say, locale } = this.place;
    const trial = this.#trial;
    if (!trial) return false;
    const { problems = [], rule, description, why, why_codes, now } = trial;
    const reasons =
      trial.covers === false
        ? sentences(why, why_codes, locale)
        : sentences(now?.reasons, now?.reason_codes, locale);
    return html`
      ${problems.map(({ message }) => html`<p class="problem">${escapeText(message)}</p>`)}
      ${rule && html`<p>${say("rules.means")} ${drawRule(rule, description, (this.#draft as Draft).effect, say)}</p>`}
      ${now && html`<p class="verdict">${verdictOf(trial, say)}</p>`}
      ${now && reasons.map((reason) => html`<p class="muted">${escapeText(reason)}</p>`)}`;
  }

  #drawCalls(): Template | false {
    const { say, locale } = this.place;
    const preview = this.#preview;
    if (!preview || !this.#trial?.rule) return false;
    const effect = (this.#draft as Draft).effect;
    const count = this.#calls.length;
    const back = preview.next_cursor
      ? say("rules.checked_to", { checked: this.#checked, moment: when(preview.checked_to, locale) })
      : say("rules.checked_all", { checked: this.#checked });
    return html`<h3>${say(`rules.would_${effect}`, { count })}</h3>
      <p class="muted">${back}</p>
      <ul class="calls">${this.#calls.map(
        (call) => html`<li>
          <a href=${pathOf("inbox", call.request_id)} target="_blank"><code dir="ltr">${escapeText(call.headline)}</code></a>
          <span class="muted">${call.agent.name} · <askback-time at=${call.created_at} look="long"></askback-time>${
            call.decision && html` · ${say(`rules.was_${call.decision}`)}`
          }</span>
        </li>`,
      )}</ul>
      ${preview.next_cursor && html`<button type="button" .onclick=${() => void this.#look()}>${say("rules.check_older")}</button>`}`;
  }

  #drawSubject({ scope, subject }: Draft): Template | false {
    const label = this.place.say(scope === "thread" ? "rules.thread_id" : "rules.project");
    return (
      scope !== "always" &&
      html`<label>${label}<input type="text" dir="ltr" .value=${subject} .oninput=${(event: Event) => this.#change({ subject: (event.target as HTMLInputElement).value })} /></label>`
    );
  }

  #drawTicks(draft: Draft): Template {
    const { say, isAdmin } = this.place;
    const needsConsent =
      draft.script_may_change || this.#trial?.problems?.some(({ code }) => code === "script_may_change");
    const tick = (name: "locked" | "shadow" | "script_may_change") =>
      html`<label class="tick"><input type="checkbox" .checked=${draft[name]} .onchange=${(event: Event) => this.#change({ [name]: (event.target as HTMLInputElement).checked })} />
        <span>${say(`rules.${name}`)} <span class="muted">${say(`rules.${name}_hint`)}</span></span></label>`;
    return html`${needsConsent && tick("script_may_change")}
      ${isAdmin && draft.effect !== "allow" && tick("locked")}
      ${tick("shadow")}`;
  }

  #drawChoice(
    name: "effect" | "scope" | "agent" | "lasts",
    label: string,
    options: [string, string][],
  ): Template {
    const chosen = (this.#draft as Draft)[name];
    const onchange = (event: Event): void =>
      this.#change({ [name]: (event.target as HTMLSelectElement).value });
    return html`<label>${label}<select name=${name} .onchange=${onchange}>
      ${options.map(([id, text]) => html`<option value=${id} .selected=${id === chosen}>${text}</option>`)}
    </select></label>`;
  }

  draw(): Template | false {
    const draft = this.#draft;
    if (!draft) return false;
    const { say, agents } = this.place;
    const named = (names: readonly string[]): [string, string][] =>
      names.map((id) => [id, say(`rules.${id}`)]);
    const set = (name: "rule" | "call" | "why") => (event: Event) =>
      this.#change({ [name]: (event.target as HTMLInputElement).value });
    const call = html`<label>${say("rules.try_on")}<input id="call" type="text" autofocus=${this.#trying} dir="ltr" class="code" autocomplete="off" spellcheck="false" aria-describedby="trial" placeholder="make test" .value=${draft.call} .oninput=${set("call")} /></label>
      <div id="trial" role="status">${this.#drawTrial()}</div>`;
    return html`<askback-modal heading=${say(this.#trying ? "rules.try_new" : "rules.new")} .onclose=${() => this.close()}>
      <form class="editor" .onsubmit=${(event: Event) => void this.#add(event)}>
        ${this.#trying && call}
        <label>${say("rules.rule")}<input id="rule" type="text" autofocus=${!this.#trying} dir="ltr" class="code" autocomplete="off" spellcheck="false" aria-describedby="trial" .value=${draft.rule} .oninput=${set("rule")} /></label>
        <p class="muted">${say("rules.examples")} <code dir="ltr">git status</code>, <code dir="ltr">npm test:*</code>, <code dir="ltr">write_file(path=src/**)</code></p>
        <div class="fields">
          ${this.#drawChoice("effect", say("rules.decides"), named(EFFECTS))}
          ${this.#drawChoice("scope", say("rules.where"), named(["always", "project", "thread"]))}
          ${this.#drawSubject(draft)}
          ${this.#drawChoice("agent", say("rules.agent"), [["", say("rules.every_agent")], ...agents.map(({ id, name }): [string, string] => [id, name])])}
          ${this.#drawChoice("lasts", say("rules.lasts"), [["", say("rules.lasts_always")], ...Object.keys(LASTS).map((id): [string, string] => [id, say(`rules.lasts_${id}`)])])}
        </div>
        ${this.#drawTicks(draft)}
        <label>${say("rules.why")}<input type="text" .value=${draft.why} .oninput=${set("why")} /></label>
        ${!this.#trying && call}
        <section aria-label=${say("rules.past")}>${this.#drawCalls()}</section>
        ${this.#failure && html`<p class="problem" role="alert">${escapeText(this.#failure)}</p>`}
        <div class="actions end">
          <button type="button" .onclick=${() => this.close()}>${say("app.cancel")}</button>
          <button type="submit" class="primary" .disabled=${this.#busy || !this.#trial?.rule}>${say("rules.add")}</button>
        </div>
      </form>
    </askback-modal>`;
  }
}
