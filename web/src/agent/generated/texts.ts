/** Sentences for a model, made by scripts/gen_client.py from askback.domain.modeltext. */

export const TEXTS = {
  "unavailable": "Nobody could be asked whether the tool {tool} may run, because askback cannot be reached. That is not permission: it was not run and must not be run.",
  "used": "The call of the tool {tool} was approved and has been started before. It was not started again. Whether it was completed is not known: check that before you ask for it again.",
  "lapsed": "The call of the tool {tool} was approved, but the approval is no longer valid: it was not run. If it is still needed, ask for it again.",
  "hook": "A check refused the tool {tool}: it was not run. Do not ask for it again and do not try to get around the check.",
  "reasons": "Why: {reasons}",
  "secret.off": "[askback] User cannot be asked for {names}, because this server keeps no secrets. Do not ask for {it} in the conversation: proceed without, or stop."
};
