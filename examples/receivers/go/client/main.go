// go run ./client "When do you open?" prints the agent's answer twice: whole, and piece by piece.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"signalbox.example"
)

type event struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func main() {
	var conversation signalbox.Call
	read("/v1/conversation", map[string]any{"user_id": "u-1"}, &conversation)
	message := map[string]any{
		"conversation_id": conversation.ConversationID,
		"messages":        []map[string]string{{"role": "user", "content": os.Args[1]}},
		"response_mode":   "blocking",
	}
	var reply signalbox.Call
	read("/v2/conversation/message", message, &reply)
	fmt.Println("blocking: ", reply.Output[0].Content.Text)

	message["response_mode"] = "streaming"
	answer, err := signalbox.Post("/v2/conversation/message", message)
	check(err)
	defer answer.Body.Close()
	fmt.Print("streaming: ")
	shown := ""
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "data:") {
			shown = show(strings.TrimPrefix(line, "data:"), shown)
		}
	}
}

// show prints a piece, and returns all that was shown so far.
func show(data, shown string) string {
	var next event
	check(json.Unmarshal([]byte(data), &next))
	switch {
	case next.Code == 3:
		var piece string
		check(json.Unmarshal(next.Data, &piece))
		fmt.Print(piece)
		return shown + piece
	case next.Code == 10: // The whole reply, as it is stored: it wins.
		var outputs []signalbox.Output
		check(json.Unmarshal(next.Data, &outputs))
		whole := ""
		for _, output := range outputs {
			whole += output.Content.Text
		}
		if whole != shown {
			fmt.Print("\ncorrected: ", whole)
		}
		fmt.Println()
	case next.Code >= 40000:
		log.Fatal(next.Message)
	}
	return shown
}

func read(path string, body, into any) {
	reply, err := signalbox.Post(path, body)
	check(err)
	defer reply.Body.Close()
	check(json.NewDecoder(reply.Body).Decode(into))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
