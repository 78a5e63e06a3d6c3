// Recordings is the Go runner of the recordings: it makes the calls of each scenario and reports their outcomes. The
// replay server compares them; tests/recordings/README.md describes the protocol.
//
//	recto-replay run --face go -- recordings [PREFIX...]
//
// plays the scenarios whose id starts with one of the prefixes, or all, and fails unless every one passes.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
)

// atOnce is how many scenarios run at the same time: more than the machine has cores, since scenarios mostly wait.
const atOnce = 12

// environment is locked for writing by a scenario that changes the environment, which belongs to the process.
var environment sync.RWMutex

func main() {
	address := os.Getenv("RECTO_REPLAY")
	if address == "" {
		fail("RECTO_REPLAY is not set: start this with `recto-replay run --`")
	}
	// Clients get all settings explicitly; a scenario sets the variables that it needs.
	for _, name := range []string{"RECTO_BASE_URL", "RECTO_API_KEY", "RECTO_TIMEOUT"} {
		os.Unsetenv(name)
	}
	ids := wanted(address, os.Args[1:])
	queue := make(chan string, len(ids))
	for _, id := range ids {
		queue <- id
	}
	close(queue)
	var passed atomic.Int32
	var workers sync.WaitGroup
	for range [atOnce]struct{}{} {
		workers.Add(1)
		go func() {
			defer workers.Done()
			server := connect(address)
			defer server.connection.Close()
			for id := range queue {
				if server.play(id) {
					passed.Add(1)
				}
			}
		}()
	}
	workers.Wait()
	fmt.Printf("%d of %d scenarios passed; %d operations were started with typed options, %d with JSON\n",
		passed.Load(), len(ids), typed.Load(), untyped.Load())
	if int(passed.Load()) != len(ids) || len(ids) == 0 {
		os.Exit(1)
	}
}

func fail(message any) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(2)
}

func wanted(address string, prefixes []string) []string {
	server := connect(address)
	defer server.connection.Close()
	var list struct{ Scenarios []string }
	server.request(map[string]any{"do": "list"}, &list)
	var ids []string
	for _, id := range list.Scenarios {
		for _, prefix := range append(prefixes, "")[:max(1, len(prefixes))] {
			if strings.HasPrefix(id, prefix) {
				ids = append(ids, id)
				break
			}
		}
	}
	return ids
}

// control is the control connection: requests and responses are lines of JSON.
type control struct {
	connection net.Conn
	lines      *bufio.Reader
}

func connect(address string) *control {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		fail(err)
	}
	return &control{connection, bufio.NewReader(connection)}
}

func (c *control) request(request, response any) {
	line, err := json.Marshal(request)
	if err == nil {
		_, err = c.connection.Write(append(line, '\n'))
	}
	if err == nil {
		line, err = c.lines.ReadBytes('\n')
	}
	var fault struct{ Fault string }
	if err == nil {
		err = json.Unmarshal(line, &fault)
	}
	if err == nil {
		err = json.Unmarshal(line, response)
	}
	if err != nil || fault.Fault != "" {
		fail(fmt.Sprintf("the control connection failed: %v %s", err, fault.Fault))
	}
}

func (c *control) play(id string) bool {
	var run struct {
		Run    int
		Client object
		Calls  []object
	}
	c.request(map[string]any{"do": "start", "id": id}, &run)
	if variables := run.Client.object("environment"); len(variables) > 0 {
		environment.Lock()
		defer environment.Unlock()
	} else {
		environment.RLock()
		defer environment.RUnlock()
	}
	var verdict struct {
		Pass   bool
		Report string
	}
	c.request(map[string]any{"do": "finish", "run": run.Run, "outcome": play(run.Client, run.Calls)}, &verdict)
	if !verdict.Pass {
		fmt.Fprintln(os.Stderr, verdict.Report)
	}
	return verdict.Pass
}
