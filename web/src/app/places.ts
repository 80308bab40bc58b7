/** The places of the application: the only list of them. CONTRIBUTING shows how to add one. */

import { draw } from "../elements/icons.ts";
import type { PlaceEntry } from "./place.ts";
import * as inbox from "./places/inbox/place.ts";

/** In the order of the rail; the first is also at `/`, and the first three are tabs on a phone. */
export const PLACES: readonly PlaceEntry[] = [
  {
    name: "inbox",
    icon: draw("M3 14h5l1.5 3h5l1.5-3h5M3 14v5.5h18V14l-3.700-9.500H6.700z"),
    // Most people open it first, so it comes with the application.
    load: async () => inbox,
  },
  {
    name: "conversations",
    icon: draw("M3 4h18v13H11l-5 4v-4H3z"),
    tab: "chats",
    load: () => import("./places/conversations/place.ts"),
  },
  {
    name: "history",
    icon: draw("M12 4a8 8 0 1 1-7.400 5M4 4v5h5M12 8v4.500l3 2"),
    load: () => import("./places/history/place.ts"),
  },
  {
    name: "rules",
    icon: draw("M12 3l8 3v6c0 4.500-3.400 7.700-8 9-4.600-1.300-8-4.500-8-9V6zM9 12l2.200 2.200L15.500 10"),
    control: true,
    load: () => import("./places/rules/place.ts"),
  },
  {
    name: "secrets",
    icon: draw("M15 4a5 5 0 1 1-4.600 7L3 18.500V21h3v-2h2v-2h2l2.500-2.500M16 8v.01"),
    control: true,
    load: () => import("./places/secrets/place.ts"),
  },
  {
    name: "audit",
    icon: draw("M4 6h16M4 12h16M4 18h9"),
    control: true,
    roles: ["admin"],
    load: () => import("./places/audit/place.ts"),
  },
  {
    name: "agents",
    icon: draw("M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4.500 20.500c.6-4 3.600-6 7.500-6s6.900 2 7.500 6"),
    control: true,
    load: () => import("./places/agents/place.ts"),
  },
  {
    name: "settings",
    icon: draw(
      "M4 7h10M18 7h2M4 17h2M10 17h10M16 4.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5M8 14.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5",
    ),
    control: true,
    load: () => import("./places/settings/place.ts"),
  },
];
