package gateway

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// realGateway returns a client of the gateway that ARGOSY_TEST_GATEWAY_URL and ARGOSY_TEST_GATEWAY_KEY name.
func realGateway(t *testing.T) *Client {
	address, key := os.Getenv("ARGOSY_TEST_GATEWAY_URL"), os.Getenv("ARGOSY_TEST_GATEWAY_KEY")
	if address == "" {
		t.Skip("ARGOSY_TEST_GATEWAY_URL is not set: no gateway to test against")
	}
	client, err := New(address, key, &http.Client{Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestSendAndGetMessage(t *testing.T) {
	client, ctx := realGateway(t), context.Background()
	message := Message{Channel: Echo, Recipient: "ana", Text: "Hello", IdempotencyKey: "order-1"}
	queued, err := client.Send(ctx, message)
	if err != nil || queued.MessageID == "" || queued.Status != Pending {
		t.Fatalf("Send: %+v, %v", queued, err)
	}
	again, err := client.Send(ctx, message)
	if err != nil || again.MessageID != queued.MessageID {
		t.Fatalf("the same key queued another message: %+v, %v", again, err)
	}
	outcome, err := client.GetMessage(ctx, queued.MessageID)
	if err != nil || outcome.MessageID != queued.MessageID || outcome.Attempts != 0 || outcome.LastError != nil {
		t.Fatalf("GetMessage: %+v, %v", outcome, err)
	}
}

func TestRefusals(t *testing.T) {
	client, ctx := realGateway(t), context.Background()
	stranger, err := New(client.baseURL, "not-a-key", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, empty := client.Send(ctx, Message{Channel: Echo, Recipient: "ana"})
	_, unknown := client.GetMessage(ctx, "no/such id")
	_, unauthorized := stranger.Send(ctx, Message{Channel: Echo, Recipient: "ana", Text: "Hello"})
	for status, err := range map[int]error{400: empty, 404: unknown, 401: unauthorized} {
		var refused *Error
		if !errors.As(err, &refused) || refused.StatusCode != status || refused.Message == "" {
			t.Errorf("want %d with a message, got %v", status, err)
		}
	}
}

func TestCancelledContext(t *testing.T) {
	client := realGateway(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := client.Send(ctx, Message{Channel: Echo, Recipient: "ana", Text: "Hello"}); !errors.Is(err, context.Canceled) {
		t.Fatalf("want context.Canceled, got %v", err)
	}
}

func TestNewRefusesBadSettings(t *testing.T) {
	for _, address := range []string{
		"", "127.0.0.1:8081", "ftp://example.com", "http://",
		"http://user:secret@example.com", "http://example.com?x=1", "http://example.com?", "http://example.com#x",
	} {
		if _, err := New(address, "key", nil); err == nil {
			t.Errorf("New accepted %q", address)
		}
	}
	for _, key := range []string{"", "two words", "key\n", "clé"} {
		_, err := New("http://127.0.0.1:8081", key, nil)
		if err == nil || (key != "" && strings.Contains(err.Error(), key)) {
			t.Errorf("%q: want an error without the key, got %v", key, err)
		}
	}
}

func TestTheKeyFollowsNoRedirect(t *testing.T) {
	called := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	client, err := New(server.URL, "key", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Send(context.Background(), Message{Channel: Echo, Recipient: "ana", Text: "Hello"})
	var refused *Error
	if !errors.As(err, &refused) || refused.StatusCode != http.StatusTemporaryRedirect || called {
		t.Fatalf("want 307 and no further call, got %v (called: %v)", err, called)
	}
}

func TestAnswersThatAreNoneOfTheGateway(t *testing.T) {
	for _, answer := range []string{"<html>", "", "[]", "{}"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			_, _ = w.Write([]byte(answer))
		}))
		client, err := New(server.URL, "key", nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Send(context.Background(), Message{Channel: Echo, Recipient: "ana", Text: "Hello"})
		if err == nil || !strings.Contains(err.Error(), "not understood") {
			t.Errorf("%q: want an error, got %v", answer, err)
		}
		server.Close()
	}
}
