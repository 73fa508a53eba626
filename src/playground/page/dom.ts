/** The element of the page with this id. Throws where the page and its script don't belong together. */
export function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id)
  if (found instanceof type) return found
  throw new Error(`the page has no ${type.name} with the id ${id}`)
}

/** A new element with text, which is never taken for markup. */
export function create<K extends keyof HTMLElementTagNameMap>(
  name: K,
  text = '',
  properties: Partial<HTMLElementTagNameMap[K]> = {},
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(name), properties)
  if (text !== '') made.textContent = text
  return made
}

/** A link that downloads this. `URL.revokeObjectURL` its address once nobody can click it any more. */
export function downloadLink(label: string, fileName: string, content: Blob): HTMLAnchorElement {
  return create('a', label, { className: 'button', download: fileName, href: URL.createObjectURL(content) })
}

/** Takes links away, and what they lead to out of memory. */
export function withdrawLinks(place: HTMLElement): void {
  for (const { href } of place.querySelectorAll('a')) URL.revokeObjectURL(href)
  place.replaceChildren()
}
