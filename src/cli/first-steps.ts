import type { FirstAccount } from '../ledger/bootstrap.ts'

const TEXT = 'Hello! This is Syrinx, speaking from your own machine.'

/** Connects to the address that a stream-token answer on standard input names, and keeps the audio. Node 20 or newer. */
const SOCKET_SCRIPT = [
  'const {data} = JSON.parse(require("fs").readFileSync(0));',
  'const file = require("fs").createWriteStream("socket.pcm");',
  'const socket = new WebSocket(data.ws_url + "?token=" + data.stream_token);',
  'socket.binaryType = "arraybuffer";',
  `socket.onopen = () => socket.send(JSON.stringify({type: "start", text: "${TEXT}"}));`,
  'socket.onmessage = ({data}) => (typeof data == "string" ? process.stdout : file).write(typeof data == "string" ? data + "\\n" : Buffer.from(data))',
].join(' ')

/** Speaks what that one kept into the socket that listens, named by its argument, as if it came from a microphone. */
const LISTEN_SCRIPT = [
  'const pcm = require("fs").readFileSync("socket.pcm");',
  'const socket = new WebSocket(process.argv[1]);',
  'socket.onopen = () => {',
  'socket.send(JSON.stringify({type: "start", mode: "auto", language: "en", sample_rate: 24000, format: "pcm_s16le"}));',
  'for (let at = 0; at < pcm.length; at += 9600) socket.send(pcm.subarray(at, at + 9600));',
  'socket.send(JSON.stringify({type: "stop"}));',
  '};',
  'socket.onmessage = ({data}) => process.stdout.write(data + "\\n");',
].join(' ')

/**
 * What an empty data folder's first start prints: the keys, which nothing shows again, and lines that make sound when
 * pasted into a shell on the same machine.
 */
export function firstSteps(first: FirstAccount, url: string, hasPlayground: boolean): string {
  const headers = `-H 'Authorization: Bearer ${first.voice.plaintext}' -H 'Content-Type: application/json'`
  const say = JSON.stringify({ text: TEXT })
  const token = JSON.stringify({ text_length: TEXT.length })
  return `
This data folder was empty, so it got its first account, ${first.account.id}, with 100,000 characters of speech and 100,000
of transcripts a month. These are its keys; they are shown this once.

  admin key           ${first.admin.plaintext}
  voice key           ${first.voice.plaintext}
  speech-to-text key  ${first.stt.plaintext}

${hasPlayground ? `A page to try them on; paste them there:\n  ${url}\n\n` : ''}An MP3 file:
  curl -sS -f ${url}/api/v1/tts/bytes ${headers} -d '${say}' -o hello.mp3

A stream of events, as the audio is made:
  curl -sS -f -N ${url}/api/v1/tts/sse ${headers} -d '${say}' -o hello.sse

A token, and a WebSocket with it (16-bit samples, 24 kHz, into socket.pcm):
  curl -sS -f ${url}/api/v1/tts/stream-token ${headers} -d '${token}' | node --experimental-websocket -e '${SOCKET_SCRIPT}'

What the MP3 file says:
  curl -sS -f ${url}/api/v1/stt/transcriptions -H 'Authorization: Bearer ${first.stt.plaintext}' -F audio=@hello.mp3 -F language=en

What the WebSocket said, heard live:
  node --experimental-websocket -e '${LISTEN_SCRIPT}' '${url.replace(/^http/, 'ws')}/api/public/v1/stt/ws?token=${first.stt.plaintext}'

What is left to spend:
  curl -sS -f ${url}/api/v1/usage -H 'Authorization: Bearer ${first.voice.plaintext}'
`
}
