// Elements, made one by one: text only ever becomes a text node, so that no name can be markup.

type Child = Node | string | null;
type Properties = Record<string, string | number | boolean | ((event: never) => void)>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, properties: Properties = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") {
      element.addEventListener(name, value as (event: Event) => void);
    } else if (typeof value === "boolean") {
      element.toggleAttribute(name, value);
    } else {
      element.setAttribute(name, String(value));
    }
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

export function svg(tag: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.textContent = text;
  return element;
}

// A name of the user's: isolated, so that a right-to-left one does not turn what is around it.
export const name = (text: string): HTMLElement => el("bdi", {}, visible(text));

// What would not be seen is shown: a name that is empty or blank still takes part.
export const visible = (text: string): string => (text.trim() === "" ? `"${text}"` : text);

let ids = 0;
export const freshId = (): string => `i${++ids}`;
