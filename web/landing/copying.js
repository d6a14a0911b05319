// Copying texts to the clipboard.

const confirmedMs = 1_500;

/** Copies the value of a field, or a text, and confirms it on the button. */
export const copyOn = async (button, text) => {
  const label = button.textContent;
  const field = Object.assign(document.createElement("textarea"), { value: text });
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Only pages from HTTPS or localhost may use the clipboard API; others need the old command.
    field.className = "unseen";
    button.after(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    button.focus();
  }
  if (button.classList.contains("copied")) return;
  button.classList.add("copied");
  button.textContent = "Copied";
  setTimeout(() => {
    button.classList.remove("copied");
    button.textContent = label;
  }, confirmedMs);
};
