import { FilePanel } from './file-panel.ts'
import { KeyPanel } from './key-panel.ts'
import { ListenPanel } from './listen-panel.ts'
import { Session } from './session.ts'
import { SpeakPanel } from './speak-panel.ts'
import { armTabs } from './tabs.ts'
import { VoicesPanel } from './voices-panel.ts'

const session = new Session(window.sessionStorage, window.location.origin)
new KeyPanel(session)
new SpeakPanel(session)
new ListenPanel(session)
new FilePanel(session)
new VoicesPanel(session)
armTabs()
void session.refresh()
