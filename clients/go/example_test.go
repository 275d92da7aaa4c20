package gateway_test

import (
	"context"
	"fmt"
	"log"

	gateway "argosy.dev/gateway"
)

func Example() {
	client, err := gateway.New("http://127.0.0.1:8081", "shop-key-1", nil)
	if err != nil {
		log.Fatal(err)
	}
	queued, err := client.Send(context.Background(), gateway.Message{
		Channel:   gateway.PhoneMessenger,
		Recipient: "5215550001111",
		Text:      "Your order is ready.",
	})
	if err != nil {
		log.Fatal(err)
	}
	outcome, err := client.GetMessage(context.Background(), queued.MessageID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(outcome.Status)
}
