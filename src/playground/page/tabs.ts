/** Tabs as the ARIA Authoring Practices have them: arrow keys, Home and End move, and what is moved to is shown. */
export function armTabs(): void {
  const tabs = [...document.querySelectorAll<HTMLElement>('[role="tab"]')]
  const show = (chosen: HTMLElement) => {
    for (const tab of tabs) {
      const isChosen = tab === chosen
      tab.ariaSelected = String(isChosen)
      tab.tabIndex = isChosen ? 0 : -1
      const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '')
      if (panel) panel.hidden = !isChosen
    }
  }
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener('click', () => show(tab))
    tab.addEventListener('keydown', ({ key }) => {
      const target = tabs.at(destination(key, index, tabs.length))
      if (target === undefined || target === tab) return
      show(target)
      target.focus()
    })
  }
}

function destination(key: string, index: number, count: number): number {
  switch (key) {
    case 'ArrowRight':
      return (index + 1) % count
    case 'ArrowLeft':
      return index - 1
    case 'Home':
      return 0
    case 'End':
      return -1
    default:
      return index
  }
}
