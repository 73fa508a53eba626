import { create } from './dom.ts'
import type { NamedCode } from './facts.ts'

/** Fills a list of languages, with `auto` as the first. */
export function fillLanguages(select: HTMLSelectElement, languages: readonly NamedCode[]): void {
  const named = languages.filter(({ code }) => code !== 'auto')
  const sorted = named.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
  select.replaceChildren(new Option('Detect', 'auto'), ...sorted.map(({ code, name }) => new Option(name, code)))
}

/** Options under headings; the one chosen before stays chosen if it is still there. */
export function fillGroups(
  select: HTMLSelectElement,
  groups: readonly { readonly label: string; readonly options: readonly HTMLOptionElement[] }[],
): void {
  const before = select.value
  const filled = groups.filter(({ options }) => options.length > 0)
  select.replaceChildren(
    ...filled.map(({ label, options }) => {
      const group = create('optgroup', '', { label })
      group.append(...options)
      return group
    }),
  )
  if ([...select.options].some(({ value }) => value === before)) select.value = before
}
