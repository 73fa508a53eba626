export { Microphone, type MicrophoneOptions } from './browser/microphone.ts'
export { Playback, Player, type PlayerOptions, type PlayerStatus, type PlayOptions, play } from './browser/player.ts'
