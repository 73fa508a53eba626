import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { PROGRAM_PATH } from '../programs.ts'
import { waitFor } from '../wait-for.ts'

const SHIPPED = fileURLToPath(new URL('../../deploy/nginx.conf', import.meta.url))

export interface Nginx {
  /** For plain HTTP. */
  readonly port: number
  /** With TLS; 0 without. */
  readonly tlsPort: number
  /** Everything nginx has written to its logs. */
  logs(): Promise<string>
  /** Files in which nginx keeps bodies that don't fit its memory. */
  buffered(): Promise<string[]>
}

/**
 * nginx with the shipped file, in which only addresses and paths are other ones, and `tls` has the lines uncommented that say so. It
 * stands in the frame that Debian gives it, with one worker, and stops with the test.
 */
export async function startNginx(nodePort: number, tls: 'plain' | 'tls' = 'plain'): Promise<Nginx> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnFreePorts(nodePort, tls)
    } catch (error) {
      // Somebody took the port before nginx did.
      if (attempt === ATTEMPTS_MAX || !String(error).includes('Address already in use')) throw error
    }
  }
}

const ATTEMPTS_MAX = 5

async function startOnFreePorts(nodePort: number, tls: 'plain' | 'tls'): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'syrinx-nginx-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'log'))
  await mkdir(join(folder, 'bodies'))
  const port = await freePort()
  const tlsPort = tls === 'tls' ? await freePort() : 0
  if (tls === 'tls') makeCertificate(folder)
  await writeFile(
    join(folder, 'syrinx.conf'),
    adapted(await readFile(SHIPPED, 'utf8'), folder, nodePort, port, tlsPort),
  )
  await writeFile(join(folder, 'nginx.conf'), frame(folder))
  const nginx = spawn(
    'nginx',
    ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'log', 'error.log')],
    {
      env: { ...process.env, PATH: PROGRAM_PATH },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  let hasEnded = false
  const ended = once(nginx, 'close').then(() => {
    hasEnded = true
  })
  let complaints = ''
  nginx.stderr.on('data', (bytes: Buffer) => {
    complaints += bytes.toString()
  })
  onTestFinished(async () => {
    nginx.kill('SIGTERM')
    await ended
  })
  await waitFor(async () => {
    if (hasEnded) throw new Error(`nginx ended: ${complaints}`)
    return fetch(`http://127.0.0.1:${port}/metrics`, { redirect: 'manual' }).then(
      // Not whoever else has taken the port.
      ({ headers }) => headers.get('server') === 'nginx',
      () => false,
    )
  }, 'nginx to listen')
  return {
    port,
    tlsPort,
    buffered: () => readdir(join(folder, 'bodies')),
    async logs() {
      const names = await readdir(join(folder, 'log'))
      return (await Promise.all(names.map((name) => readFile(join(folder, 'log', name), 'utf8')))).join('\n')
    },
  }
}

function adapted(shipped: string, folder: string, nodePort: number, port: number, tlsPort: number): string {
  const uncommented =
    tlsPort === 0 ? shipped : shipped.replaceAll(/^ {4}# (listen|ssl_|add_header|if )(.*)$/gm, '    $1$2')
  return uncommented
    .replaceAll(/^.*listen \[::\].*\n/gm, '')
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('listen 443 ', `listen 127.0.0.1:${tlsPort} `)
    .replace('server 127.0.0.1:8080;', `server 127.0.0.1:${nodePort};`)
    .replaceAll('/etc/letsencrypt/live/speech.example.com', folder)
    .replaceAll('/var/log/nginx', join(folder, 'log'))
}

function frame(folder: string): string {
  return `
    daemon off;
    worker_processes 1;
    pid ${folder}/nginx.pid;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    events { worker_connections 768; }
    http {
      sendfile on;
      tcp_nopush on;
      gzip on;
      default_type application/octet-stream;
      error_log ${folder}/log/error.log;
      access_log ${folder}/log/access.log;
      client_body_temp_path ${folder}/bodies;
      proxy_temp_path ${folder}/proxied;
      fastcgi_temp_path ${folder}/fastcgi;
      uwsgi_temp_path ${folder}/uwsgi;
      scgi_temp_path ${folder}/scgi;
      include ${folder}/syrinx.conf;
    }
  `
}

function makeCertificate(folder: string): void {
  const names = ['-subj', '/CN=speech.example.com', '-addext', 'subjectAltName=DNS:speech.example.com,IP:127.0.0.1']
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  execFileSync('openssl', ['req', '-x509', '-nodes', '-days', '2', ...curve, ...names, ...files], { stdio: 'ignore' })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return address.port
}
