// The daemon under test: start it on a free port, send requests, stop it, start it again.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';

export class Daemon {
  constructor(name, ...flags) {
    this.data = `${process.env.RINKD_TEST_WORK}/${name}`;
    this.flags = flags;
    this.port = 0;
  }

  async start() {
    const flags = {
      '--data': this.data,
      '--listen': `127.0.0.1:${this.port}`,
      '--programs': `${process.env.RINKD_TEST_WORK}/programs`,
      '--workers': '2',
      '--search-processes': '1',
      '--drain-ms': '1000',
    };
    const all = [...Object.entries(flags).flat(), ...this.flags];
    this.process = spawn(process.env.RINKD, all, {stdio: ['ignore', 'pipe', 'ignore']});
    process.once('exit', () => this.process.kill('SIGKILL')); // if the script fails
    const [line] = await once(createInterface({input: this.process.stdout}), 'line');
    this.port = Number(line.match(/:(\d+)$/)[1]);
    this.url = `http://127.0.0.1:${this.port}`;
    while ((await fetch(`${this.url}/readyz`)).status !== 200)
      await new Promise(resolve => setTimeout(resolve, 50));
  }

  async stop() {
    if (this.process.exitCode !== null) return;
    const end = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    await end;
  }

  async post(path, body, method = 'POST') {
    const answer = await fetch(this.url + path, {
      method,
      headers: {'Content-Type': 'application/json'},
      body: JSON.stringify(body),
    });
    return answer.json();
  }
  get = async path => (await fetch(this.url + path)).json();

  /** Submits a job and resolves to it when it has ended. */
  async work(kind, spec) {
    const {id} = await this.post('/v1/jobs', {kind, spec});
    for (;;) {
      const job = await (
        await fetch(`${this.url}/v1/jobs/${id}`, {headers: {Prefer: 'wait=60'}})
      ).json();
      if (['done', 'buried', 'cancelled'].includes(job.state)) return job;
    }
  }
}
