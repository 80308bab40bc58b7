import texts from "../../../../../src/askback/messages/en.json?place=rules&texts" with { type: "json" };
import type { AgentPage, AgentRecord, BuiltInRules, Rule, RulePage } from "../../../core/generated/wire.ts";
import { addTexts } from "../../../core/messages.ts";
import { escapeText } from "../../../elements/approval/escapes.ts";
import { drawSentence, sentences } from "../../../elements/approval/reasons.ts";
import { html, type Template } from "../../../elements/html.ts";
import { placeIcons } from "../../icons.ts";
import { PlaceElement } from "../../place.ts";
import { pathOf } from "../../router.ts";
import { saveAs } from "../../ui/download.ts";
import { drawHeading } from "../../ui/heading.ts";
import { handleListKeys } from "../../ui/listnavigation.ts";
import { drawEmpty, drawError, drawLoading } from "../../ui/states.ts";
import { drawTable } from "../../ui/table.ts";
import { drawChips, drawSearch, drawSelect } from "../../ui/toolbar.ts";
import { drawBuiltIn, drawLimits, drawUsage } from "./built-in.ts";
import { Editor } from "./editor.ts";
import { Importer } from "./importer.ts";
import { ruleStyles } from "./rules.css.ts";
import { drawEffect, drawRule, EFFECTS } from "./words.ts";

addTexts(texts);

const PAGE = 200;

/** The rules that were kept, those that come with the server, and a draft that is tried before it is added. */
export class Place extends PlaceElement {
  static override styles = [...PlaceElement.styles, ruleStyles];

  override readonly keys = { list: ["search"] } as const;
  readonly #editor = new Editor(this);
  readonly #importer = new Importer(this);
  /** Undefined until they are known. */
  rules: readonly Rule[] | undefined;
  agents: readonly AgentRecord[] = [];
  #builtIn: BuiltInRules | undefined;
  #nextCursor: string | null = null;
  #failed = false;
  #leaveKeys: (() => void) | undefined;
  #text = "";
  #effect = "";
  #agent = "";
  /** Rules that are revoked once nobody has taken it back. */
  readonly #removedIds = new Set<string>();

  get heading(): string {
    return this.getText("app.rules");
  }

  get isAdmin(): boolean {
    return this.app.me?.role === "admin";
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#leaveKeys = handleListKeys(this);
    void this.load();
    void this.app.client.get<AgentPage>("/v1/agents?limit=200").then(
      ({ agents }) => {
        this.agents = agents;
        this.redraw();
      },
      () => {},
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leaveKeys?.();
    this.#editor.close();
  }

  /** Reload the rules, or with `more` the next page of them. */
  async load(isNextPage = false): Promise<void> {
    const cursor = isNextPage && this.#nextCursor ? `&cursor=${encodeURIComponent(this.#nextCursor)}` : "";
    try {
      const [list, builtIn] = await Promise.all([
        this.app.client.get<RulePage>(`/v1/rules?limit=${PAGE}${cursor}`),
        this.app.client.get<BuiltInRules>("/v1/rules/built-in"),
      ]);
      this.rules = [...(isNextPage ? (this.rules ?? []) : []), ...list.rules];
      this.#nextCursor = list.next_cursor;
      this.#builtIn = builtIn;
      this.#failed = false;
    } catch {
      this.#failed = this.rules === undefined;
      if (!this.#failed) this.app.toast({ text: this.getText("app.failed") });
    }
    this.redraw();
  }

  /** The rules that the filters leave, without those that are about to be revoked. */
  get #filteredRules(): readonly Rule[] {
    const words = this.#text.toLowerCase();
    return this.#search(words).filter((rule) => !this.#effect || rule.effect === this.#effect);
  }

  #search(words: string): readonly Rule[] {
    return (this.rules ?? []).filter(
      (rule) =>
        !this.#removedIds.has(rule.id) &&
        (!this.item || rule.id === this.item) &&
        (!this.#agent || rule.agent === this.#agent) &&
        [rule.rule, rule.why, rule.project, rule.thread_id, rule.agent_name, rule.created_by?.name]
          .join("\n")
          .toLowerCase()
          .includes(words),
    );
  }

  async #revoke(rule: Rule): Promise<void> {
    const text = this.getText("rules.revoked", { rule: rule.rule });
    if (rule.locked) {
      const title = this.getText("rules.revoke_locked");
      const question = { title, text: rule.rule, yes: this.getText("rules.revoke"), danger: true };
      if (await this.app.confirm(question)) await this.#send(rule);
      return;
    }
    const undo = (): void => {
      this.#removedIds.delete(rule.id);
      this.redraw();
    };
    this.#removedIds.add(rule.id);
    this.redraw();
    this.app.toast({ text, undo, act: () => void this.#send(rule).finally(undo) });
  }

  async #send(rule: Rule): Promise<void> {
    try {
      await this.app.client.change("DELETE", `/v1/rules/${encodeURIComponent(rule.id)}`);
      this.rules = this.rules?.filter(({ id }) => id !== rule.id);
      this.redraw();
    } catch {
      this.app.toast({ text: this.getText("rules.not_revoked", { rule: rule.rule }) });
    }
  }

  async #export(): Promise<void> {
    try {
      const file = await this.app.client.get<unknown>("/v1/rules/export");
      saveAs("rules.json", "application/json", JSON.stringify(file, null, 2));
    } catch {
      this.app.toast({ text: this.getText("app.failed") });
    }
  }

  #drawCovers(rule: Rule): Template {
    const [choice] = sentences(
      rule.needs_choice ? [rule.needs_choice] : [],
      rule.needs_choice_code ? [rule.needs_choice_code] : [],
      this.locale,
    );
    return html`${drawRule(rule.rule, rule.description, rule.effect, this.getText)}
      ${rule.locked && html`<span class="tag" title=${this.getText("rules.locked_hint")}>${this.getText("rules.locked")}</span>`}
      ${rule.shadow && html`<span class="tag" title=${this.getText("rules.shadow_hint")}>${this.getText("rules.shadow")}</span>`}
      ${choice && html`<p class="muted warn">${this.getText("rules.needs_choice")} ${drawSentence(choice)}</p>`}`;
  }

  #drawScope(rule: Rule): Template {
    const { scope, thread_id, project, agent, agent_name, expires_at } = rule;
    const scopeText =
      scope === "project"
        ? this.getText("rules.in_project", { name: project })
        : this.getText(`rules.${scope}`);
    return html`${thread_id ? html`<a href=${pathOf("conversations", thread_id)}>${scopeText}</a>` : scopeText}
      <p class="muted">${agent ? (agent_name ?? agent) : this.getText("rules.every_agent")}</p>
      ${expires_at && html`<p class="muted">${this.getText("rules.ends_in")} <askback-time at=${expires_at} look="left"></askback-time></p>`}`;
  }

  #drawCreator({ created_by, created_at, why, request_id }: Rule): Template {
    return html`${created_by?.name} · <askback-time at=${created_at} look="long"></askback-time>
      ${why && html`<p class="muted">${escapeText(why)}</p>`}
      ${request_id && html`<p class="muted"><a href=${pathOf("inbox", request_id)}>${this.getText("rules.from_request")}</a></p>`}`;
  }

  #drawActions(rule: Rule): Template | false {
    const { getText } = this;
    return (
      (this.isAdmin || !rule.locked) &&
      html`<button type="button" class="quiet" aria-label=${getText("rules.revoke_rule", { rule: rule.rule })} .onclick=${() => void this.#revoke(rule)}>${getText("rules.revoke")}</button>`
    );
  }

  #drawRules(): Template {
    const { getText, rules } = this;
    if (this.#failed) return drawError(getText, () => void this.load());
    if (!rules) return drawLoading(getText);
    const add = html`<button type="button" .onclick=${() => this.#editor.open()}>${getText("rules.add")}</button>`;
    if (rules.length === 0)
      return drawEmpty({
        icon: placeIcons.tick,
        title: getText("rules.empty"),
        text: getText("rules.empty_text"),
        code: 'askback rules add "git push:*" --effect ask',
        action: add,
      });
    const shownRules = this.#filteredRules;
    if (shownRules.length === 0)
      return drawEmpty({ title: getText("rules.none_found"), text: getText("rules.none_found_text") });
    return drawTable(
      getText("rules.kept"),
      [
        { label: getText("rules.rule"), draw: (rule) => this.#drawCovers(rule) },
        { label: getText("rules.decides"), draw: (rule) => drawEffect(rule.effect, getText) },
        { label: getText("rules.where"), draw: (rule) => this.#drawScope(rule) },
        { label: getText("rules.kept_by"), draw: (rule) => this.#drawCreator(rule) },
        { label: getText("rules.used"), draw: (rule) => drawUsage(rule.usage, getText) },
        { label: getText("rules.revoke"), quiet: true, draw: (rule) => this.#drawActions(rule) },
      ],
      shownRules,
    );
  }

  #drawToolbar(): Template | false {
    const { getText } = this;
    if (!this.rules?.length) return false;
    const matchingRules = this.#search(this.#text.toLowerCase());
    const counts = EFFECTS.map((id) => ({
      id,
      label: getText(`rules.${id}`),
      count: matchingRules.filter(({ effect }) => effect === id).length,
    }));
    const allChip = { id: "", label: getText("rules.all"), count: matchingRules.length };
    const names = new Map(
      this.rules.flatMap(({ agent, agent_name }) => (agent ? [[agent, agent_name ?? agent]] : [])),
    );
    const agents = [...names].map(([id, label]) => ({ id, label }));
    const choose = (name: "text" | "effect" | "agent") => (value: string) => {
      if (name === "text") this.#text = value;
      else if (name === "effect") this.#effect = value;
      else this.#agent = value;
      this.redraw();
    };
    return html`<div class="filters">
      ${drawSearch(getText("rules.search"), this.#text, choose("text"))}
      ${drawChips(getText("rules.decides"), [allChip, ...counts], this.#effect, choose("effect"))}
      ${drawSelect(getText("rules.agent"), getText("rules.all_agents"), agents, this.#agent, choose("agent"))}
      ${this.item && html`<a href=${pathOf("rules")}>${getText("rules.show_all")}</a>`}
    </div>`;
  }

  protected override render(): Template {
    const { getText } = this;
    const actions = html`
      ${this.isAdmin && html`<button type="button" .onclick=${() => this.#importer.choose()}>${getText("rules.import")}</button>`}
      <button type="button" .onclick=${() => void this.#export()}>${getText("rules.export")}</button>
      <button type="button" .onclick=${() => this.#editor.open(true)}>${getText("rules.try")}</button>
      <button type="button" class="primary" .onclick=${() => this.#editor.open()}>${getText("rules.add")}</button>`;
    return html`<div class="page">
      ${drawHeading(getText("app.rules"), getText("rules.about"), actions)}
      ${this.#drawToolbar()}
      ${this.#drawRules()}
      ${this.#nextCursor && html`<button type="button" .onclick=${() => void this.load(true)}>${getText("rules.more")}</button>`}
      ${this.#builtIn && drawBuiltIn(this.#builtIn, this.#text.toLowerCase(), getText)}
      ${this.#builtIn && drawLimits(this.#builtIn.limits, getText)}
      ${this.#editor.draw()}
      ${this.#importer.draw()}
    </div>`;
  }
}
