import { slimCatalogues } from "../../web/scripts/slim.ts"; // splits askback's texts among the parts that show them

const pages = ["index.html", "thread.html"].map((name) => `${import.meta.dirname}/${name}`);

export default {
  base: "./",
  plugins: [slimCatalogues()],
  build: {
    target: "es2022",
    modulePreload: { polyfill: false }, // no script in the page itself
    rolldownOptions: { input: pages },
  },
};
