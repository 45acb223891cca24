// Prints all settled quote executions of a profile, page by page.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"golang.org/x/oauth2/clientcredentials"

	"walk/digitalassets"
)

func main() {
	ctx := context.Background()
	credentials := clientcredentials.Config{
		ClientID:     os.Getenv("DIGITAL_ASSETS_CLIENT_ID"),
		ClientSecret: os.Getenv("DIGITAL_ASSETS_CLIENT_SECRET"),
		TokenURL:     os.Getenv("DIGITAL_ASSETS_AUTH_URL"),
		Scopes:       []string{"exchange:read_quote_execution"},
	}
	configuration := digitalassets.NewConfiguration()
	configuration.Servers = digitalassets.ServerConfigurations{{URL: os.Getenv("DIGITAL_ASSETS_BASE_URL")}}
	// Fetches a token, and a new one before the token expires.
	configuration.HTTPClient = credentials.Client(ctx)
	client := digitalassets.NewAPIClient(configuration)

	cursor := ""
	for {
		request := client.ExchangeAPI.ListQuoteExecutions(ctx, os.Getenv("DIGITAL_ASSETS_PROFILE_ID")).
			Status(digitalassets.QUOTEEXECUTIONSTATUS_SETTLED)
		// The limit must not be sent together with a cursor.
		if cursor == "" {
			request = request.Limit(100)
		} else {
			request = request.PageCursor(cursor)
		}
		page, response, err := request.Execute()
		if err != nil {
			if response != nil {
				log.Fatalf("status %d: %v", response.StatusCode, err)
			}
			log.Fatal(err)
		}
		for _, it := range page.Items {
			// Amounts are strings. big.Rat and decimal packages read them exactly, but float64 doesn't.
			fmt.Println(it.Id, it.Market, it.Price, it.BaseAmount, it.QuoteAmount)
		}
		if cursor = page.GetNextPageCursor(); cursor == "" {
			return
		}
	}
}
