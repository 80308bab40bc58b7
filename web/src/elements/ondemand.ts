/** The interfaces of the parts of a card that are loaded on demand; `kinds.ts` decides when. */

/** The functions of the loaded parts. Until the rules of the fields are loaded, only the server applies them. */
export const onDemand: Partial<
  typeof import("./drafts/answers.ts") &
    typeof import("./drafts/notice.ts") &
    typeof import("./headline.ts") &
    typeof import("./receipt/receipt.ts") &
    typeof import("./markdown/rich.ts") &
    typeof import("./revised/revision.ts") &
    typeof import("./rules/faults.ts") &
    typeof import("./shape/warning.ts") &
    typeof import("./timezone/timezone.ts")
> = {};
