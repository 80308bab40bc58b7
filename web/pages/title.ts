/** Make the heading that is shown the title of the page, in each language. */
export function keepTitle(): void {
  const write = (): void => {
    document.title = `${document.querySelector(":not([hidden]) > h1")?.textContent} – askback`;
  };
  write();
  addEventListener("languagechange", write);
}
